import { basename } from 'node:path';
import { bundleOf } from '../contract/support/bundle.js';
import { startGateway } from '../support/gateway-process.js';
import { managedHost, startManagedServer } from '../support/managed-server.js';
import { attack } from './support/attack.js';
import { contractOf } from './support/contract.js';
import { sessionInMemory } from './support/session-in-memory.js';
import { isMailboxRefusal } from './support/surface.js';

attack('managed-agent', {
  contract: contractOf(bundleOf('managed-agent')),
  left: ['shutdownServer', 'stopAgent', 'detachGateway'],
  heavy: ['controlGatewayPrompt', 'submitAgentRequest', 'createTurn'],
  tellsPlaces: true,
  gatewayPath: '/houmao/agents/{agent}/gateway',
  wellness: ['/houmao/agents/{agent}/state', { availability: 'available' }],
  mayFail: (_operation, answer) => isMailboxRefusal(answer),
  async open(environment) {
    const session = await sessionInMemory();
    const gateway = await startGateway(session);
    const host = managedHost(session.folder);
    const program = await startManagedServer(host, session.folder, { environment });
    const endOthers = async (): Promise<void> => void (await gateway.stop());
    return { session, program, agent: basename(session.paths.root), endOthers };
  },
});
