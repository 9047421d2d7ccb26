import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../support/gateway-process.js';
import { makeSession } from '../../support/test-session.js';

export interface SamplesGateway {
  readonly url: string;
  /** Where its agent is found as `alpha`. */
  readonly registryRoot: string;
  close(): Promise<void>;
}

/** A real gateway with the stand-in agent behind it, for the samples of the README and for the packed SDK. */
export async function startGatewayForSamples(): Promise<SamplesGateway> {
  const mail = mkdtempSync(join(tmpdir(), 'houmao-samples-'));
  const mailbox = { root: join(mail, 'mailbox'), address: null, principalId: null };
  const session = await makeSession({ name: 'alpha', mailbox });
  const gateway = await startGateway(session);
  return {
    url: gateway.url,
    registryRoot: join(session.folder, 'registry'),
    close: async () => {
      await gateway.stop();
      session.remove();
      rmSync(mail, { recursive: true, force: true });
    },
  };
}
