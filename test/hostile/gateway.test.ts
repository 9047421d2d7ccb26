import { bundle } from '../contract/support/bundle.js';
import { startGateway } from '../support/gateway-process.js';
import { attack } from './support/attack.js';
import { contractOf } from './support/contract.js';
import { sessionInMemory } from './support/session-in-memory.js';
import { isMailboxRefusal } from './support/surface.js';

attack('gateway', {
  contract: contractOf(bundle),
  left: [],
  heavy: ['controlPrompt'],
  tellsPlaces: false,
  gatewayPath: '/v1',
  wellness: ['/v1/status', { gateway_health: 'healthy' }],
  mayFail: (_operation, answer) => isMailboxRefusal(answer),
  async open(environment) {
    const session = await sessionInMemory();
    const program = await startGateway(session, { environment });
    return { session, program, agent: '', endOthers: () => Promise.resolve() };
  },
});
