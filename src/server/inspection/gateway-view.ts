import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { GatewayBody } from '../passing/gateway-calls.js';
import type { Passed, Passing } from '../passing/passing.js';
import { GatewayPresence } from '../terminals/gateway-presence.js';
import { type GatewaySight, gatewaySight } from './control-plane.js';
import type { GatewaySummary } from './gateway-summary.js';
import { fromStatus } from './stored-status.js';

/** What the gateway of an agent tells. */
export interface GatewayView {
  readonly sight: GatewaySight;
  /** All null unless it answers. */
  readonly status: GatewaySummary | null;
  /** Null for agents of the other transport, and for those whose gateway tells nothing of it. */
  readonly headless: GatewayBody<'getHeadlessState'> | null;
  readonly terminal: GatewayBody<'getTuiState'> | null;
}

const unseen = (sight: GatewaySight): GatewayView => ({
  sight,
  status: null,
  headless: null,
  terminal: null,
});

/** Asks a gateway for its status and for its agent, both at once. Rejects for no fault of a gateway. */
export async function viewGateway(passing: Pick<Passing, 'pass'>, agent: ManagedAgent): Promise<GatewayView> {
  const { sessionRoot } = agent;
  if (sessionRoot === null) return unseen('absent');
  const isTerminal = agent.transport === 'tui';
  const [status, terminal, headless] = await Promise.all([
    passing.pass(agent, 'getStatus', {}),
    isTerminal ? passing.pass(agent, 'getTuiState', {}) : null,
    isTerminal ? null : passing.pass(agent, 'getHeadlessState', {}),
  ]);
  const told = bodyOf(status);
  const sight = gatewaySight({
    answers: [status, terminal, headless].flatMap((one) => (one ? [statusOf(one)] : [])),
    processLives: new GatewayPresence(sessionPaths(sessionRoot)).isPresent,
  });
  if (sight !== 'answers' || !told) return unseen(sight);
  return {
    sight,
    status: fromStatus(told),
    headless: headless && bodyOf(headless),
    terminal: terminal && bodyOf(terminal),
  };
}

/** Null where no answer came. */
function statusOf(passed: Passed): number | null {
  if (passed.kind !== 'answered') return null;
  return passed.answer.kind === 'done' ? 200 : passed.answer.status;
}

const bodyOf = <Body>(passed: Passed<Body>): Body | null =>
  passed.kind === 'answered' && passed.answer.kind === 'done' ? passed.answer.body : null;
