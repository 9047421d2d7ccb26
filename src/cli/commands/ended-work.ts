import { createGatewayClient, type Schemas } from '@houmao/sdk';
import type { AnyGateway } from '@houmao/sdk/managed-agent';
import { counted } from '../../foundation/text.js';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { flagsLost } from '../../launch/gateway-settings.js';
import { commandLineOf, urlOf } from '../../launch/live-gateway.js';
import { lookForGateway } from './find-agent.js';

/** The unfinished work of a gateway. */
export interface WorkInHand {
  /** The requests that wait, up to one page of them. */
  readonly waiting: readonly Pick<Schemas['RequestRecord'], 'request_id'>[];
  readonly hasMoreWaiting: boolean;
  /** The turn that runs, for an agent whose turns end with its gateway. */
  readonly turnId: string | null;
  /** The number of reminders in the memory of the gateway only, and of those kept in the database. */
  readonly reminders: { readonly inMemory: number; readonly kept: number };
}

/** Describes, in one line each, what happens to that work when the gateway, or the agent with it, is ended. */
export function endedWorkLines(
  { waiting, hasMoreWaiting, turnId, reminders }: WorkInHand,
  ending: 'gateway' | 'agent',
): string[] {
  const ids = waiting.map(({ request_id }) => request_id).join(', ');
  const more = hasMoreWaiting ? ' and more' : '';
  const fate = ending === 'gateway' ? 'Stays queued for the next gateway' : 'Queued, and will not run';
  const { inMemory, kept } = reminders;
  return [
    ...(waiting.length === 0 ? [] : [`${fate}: ${ids}${more}`]),
    ...(turnId === null ? [] : [`Running, and is interrupted: ${turnId}`]),
    ...(ending === 'gateway'
      ? [...countLine('Lost with it', inMemory), ...countLine('Kept for the next gateway', kept)]
      : countLine('Will not fire', inMemory + kept)),
  ];
}

const countLine = (fate: string, reminders: number): string[] =>
  reminders === 0 ? [] : [`${fate}: ${counted(reminders, 'reminder')}`];

/** Asks the gateway of an agent for its unfinished work; no lines when it does not answer. */
export async function endedWork(
  agent: Pick<RegisteredAgent, 'paths'>,
  host: AgentHost,
  ending: 'gateway' | 'agent',
): Promise<string[]> {
  const sight = await lookForGateway(agent, host).catch(() => null);
  if (sight?.state !== 'serving') return [];
  return endedWorkOf(createGatewayClient({ baseUrl: urlOf(sight.instance) }), { ending, endsTurn: true });
}

/** Asks one gateway for its unfinished work. @param endsTurn whether a headless turn is ended with it */
export async function endedWorkOf(
  client: AnyGateway,
  { ending, endsTurn }: { ending: 'gateway' | 'agent'; endsTurn: boolean },
): Promise<string[]> {
  try {
    const axes = await client.getStatus();
    const { requests, next_cursor } = await client.listRequests({ query: { state: 'accepted' } });
    const isEnded = ending === 'agent' || (endsTurn && axes.backend !== 'local_interactive');
    const turn = isEnded ? await runningTurn(client, axes) : null;
    const { reminders } = await client.listReminders();
    const { reminders: kept } = await client.listReminders({ query: { kept: true } });
    return endedWorkLines(
      {
        waiting: requests,
        hasMoreWaiting: next_cursor !== null,
        turnId: turn?.turn_id ?? null,
        reminders: { inMemory: reminders.length - kept.length, kept: kept.length },
      },
      ending,
    );
  } catch {
    return [];
  }
}

/**
 * Returns the flags of a gateway that are lost when it ends, in at most one line. @param again the flags with which the next
 * one starts
 */
export async function endedFlags(
  agent: Pick<RegisteredAgent, 'paths'>,
  host: AgentHost,
  again: readonly string[],
): Promise<string[]> {
  const sight = await lookForGateway(agent, host).catch(() => null);
  if (sight === null || sight.state === 'absent') return [];
  const lost = flagsLost(commandLineOf(sight.instance.pid), again);
  return lost.length === 0
    ? []
    : [`Not kept for the next start; give again at the next attach: ${lost.join(' ')}`];
}

/** Returns the running turn of the agent; null when none runs, or no answer names it. */
export async function runningTurn(
  client: AnyGateway,
  { backend, active_execution }: Schemas['GatewayStatus'],
): Promise<Schemas['TurnRecord'] | null> {
  if (active_execution !== 'running') return null;
  if (backend === 'local_interactive') return turnOfRequest(client);
  const state = await client.getHeadlessState().catch(() => null);
  if (!state?.active_turn_id || state.active_execution !== 'running') return null;
  return client.getTurn({ path: { turn_id: state.active_turn_id } }).catch(() => null);
}

/**
 * Finds the running turn of an agent in a terminal, where only requests name their turns. A request can be completed while its
 * turn still runs.
 */
async function turnOfRequest(client: AnyGateway): Promise<Schemas['TurnRecord'] | null> {
  for (const state of ['running', 'completed'] as const) {
    const page = await client.listRequests({ query: { state, limit: 50 } }).catch(() => null);
    const turn = page?.requests.find((request) => request.turn?.state === 'running')?.turn;
    if (turn) return turn;
  }
  return null;
}
