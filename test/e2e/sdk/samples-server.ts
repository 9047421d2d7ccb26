import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { makeSession } from '../../support/test-session.js';

export interface SamplesServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A real managed-agent server with a stand-in agent `alpha` that has a mailbox, for the samples of the README and for the packed SDK. */
export async function startServerForSamples(): Promise<SamplesServer> {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-samples-'));
  const mailbox = { root: join(folder, 'mailbox'), address: null, principalId: null };
  const session = await makeSession({ name: 'alpha', folder, mailbox });
  const server = await startManagedServer(managedHost(folder), folder, {
    flags: ['--allow-private-webhooks'],
  });
  return {
    url: server.url,
    close: async () => {
      const alpha = `/houmao/agents/alpha`;
      const { body } = await server.ask('GET', `${alpha}/gateway`);
      if (body.gateway_health === 'healthy') await server.ask('POST', `${alpha}/gateway/detach`);
      await server.stop();
      session.remove();
    },
  };
}
