import { startGateway } from '../../support/gateway-process.js';
import { makeSession } from '../../support/test-session.js';

export interface SamplesGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** A real gateway with the stand-in agent behind it, for the samples of the README and for the packed SDK. */
export async function startGatewayForSamples(): Promise<SamplesGateway> {
  const session = await makeSession();
  const gateway = await startGateway(session);
  return {
    url: gateway.url,
    close: async () => {
      await gateway.stop();
      session.remove();
    },
  };
}
