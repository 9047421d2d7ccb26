import { startStubGateway } from '../../unit/sdk/stub-gateway.js';

export interface SamplesGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** The gateway that samples and packed SDKs talk to. Its agent answers every prompt. */
export async function startGatewayForSamples(): Promise<SamplesGateway> {
  return startStubGateway();
}
