import type { Schemas } from '@houmao/sdk';
import type { GatewayCalls } from './gateway-by.js';

/** The turn that holds the agent; null where none does, and where no answer names it. */
export async function runningTurn(
  client: GatewayCalls,
  { backend, active_execution }: Schemas['GatewayStatus'],
): Promise<Schemas['TurnRecord'] | null> {
  if (active_execution !== 'running') return null;
  if (backend === 'local_interactive') return turnOfRequest(client);
  const state = await client.getHeadlessState().catch(() => null);
  if (!state?.active_turn_id || state.active_execution !== 'running') return null;
  return client.getTurn({ path: { turn_id: state.active_turn_id } }).catch(() => null);
}

/** Of an agent in a terminal only requests name their turns. One that is completed has its turn going on. */
async function turnOfRequest(client: GatewayCalls): Promise<Schemas['TurnRecord'] | null> {
  for (const state of ['running', 'completed'] as const) {
    const page = await client.listRequests({ query: { state, limit: 50 } }).catch(() => null);
    const turn = page?.requests.find((request) => request.turn?.state === 'running')?.turn;
    if (turn) return turn;
  }
  return null;
}
