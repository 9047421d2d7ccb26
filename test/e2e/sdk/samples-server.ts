import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { makeSession } from '../../support/test-session.js';

export interface SamplesServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A real managed-agent server with a stand-in agent `alpha`, for the samples of the README and for the packed SDK. */
export async function startServerForSamples(): Promise<SamplesServer> {
  const session = await makeSession({ name: 'alpha' });
  const server = await startManagedServer(managedHost(session.folder), session.folder, {
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
