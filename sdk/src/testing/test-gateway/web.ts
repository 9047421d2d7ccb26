import type { StartTestGateway } from './test-gateway.js';

export const startTestGateway: StartTestGateway = async () => {
  throw new Error(
    'startTestGateway starts processes, which a browser cannot; use createFakeGateway there, or start the gateway beside it.',
  );
};
