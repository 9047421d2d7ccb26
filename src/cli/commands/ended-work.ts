import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { counted } from '../../foundation/counted.js';
import type { FoundAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { urlOf } from '../../launch/live-gateway.js';
import { lookForGateway } from './find-agent.js';
import type { GatewayCalls } from './gateway-by.js';
import { runningTurn } from './running-turn.js';

/** What a gateway has in hand. */
export interface WorkInHand {
  /** Requests that wait, as far as one page goes. */
  readonly waiting: readonly Pick<Schemas['RequestRecord'], 'request_id'>[];
  readonly hasMoreWaiting: boolean;
  /** The turn that runs, of an agent whose turns end with its gateway. */
  readonly turnId: string | null;
  /** Reminders that only the memory of the gateway has, and those that are kept in the database. */
  readonly reminders: { readonly inMemory: number; readonly kept: number };
}

/** What becomes of that when the gateway, or the agent with it, is ended: a line each. */
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

/** Asks the gateway of an agent what it has in hand; nothing is said of one that does not answer. */
export async function endedWork(
  agent: Pick<FoundAgent, 'paths'>,
  host: AgentHost,
  ending: 'gateway' | 'agent',
): Promise<string[]> {
  const sight = await lookForGateway(agent, host).catch(() => null);
  if (sight?.state !== 'serving') return [];
  return endedWorkOf(createGatewayClient({ baseUrl: urlOf(sight.instance) }), { ending, endsTurn: true });
}

/** The same of a gateway. @param endsTurn whether a headless turn is ended with it */
export async function endedWorkOf(
  client: GatewayCalls,
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
