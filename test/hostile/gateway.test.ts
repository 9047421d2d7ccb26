import { notImplemented } from '../../src/gateway/handlers/not-implemented.js';
import { bundle } from '../contract/support/bundle.js';
import { startGateway } from '../support/gateway-process.js';
import { attack } from './support/attack.js';
import { contractOf, type HostileOperation } from './support/contract.js';
import { sessionInMemory } from './support/session-in-memory.js';
import { isMailboxRefusal } from './support/surface.js';

/** What the gateway serves with 501 for an agent with a mailbox. */
const isMissing = ({ operationId }: HostileOperation): boolean =>
  notImplemented[operationId as keyof typeof notImplemented]?.on.includes('agents_with_mail_server') ?? false;

attack('gateway', {
  contract: contractOf(bundle),
  left: [],
  heavy: ['controlPrompt'],
  tellsPlaces: false,
  gatewayPath: '/v1',
  wellness: ['/v1/status', { gateway_health: 'healthy' }],
  mayFail: (operation, answer) => isMailboxRefusal(answer) || (answer.status === 501 && isMissing(operation)),
  async open(environment) {
    const session = await sessionInMemory();
    const program = await startGateway(session, { environment });
    return { session, program, agent: '', endOthers: () => Promise.resolve() };
  },
});
