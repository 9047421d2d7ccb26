// The hosts of a fleet in words, and the agents of the chosen ones: pure, so that tests can hold them without a browser.
import type { Schemas } from '@houmao/sdk/managed-agent';
import { type ListedAgent, lengthOf, nameOf, type OtherPlace } from './words.js';

type Host = Schemas['FleetHost'];

/** The fleet as this host knows it at a moment. */
export interface SeenFleet {
  readonly status: Schemas['FleetStatus'];
  readonly hosts: readonly Host[];
  /** The agents of other hosts. */
  readonly agents: readonly ListedAgent[];
  /** When that was read, in milliseconds of the browser's clock. */
  readonly readAt: number;
}

/** Returns an agent of another host as the list has it; null for one of this host. @param own the name of this host */
export function agentElsewhere(
  { place, ...agent }: Schemas['AgentIdentity'],
  own: string | null,
  readAt: number,
): ListedAgent | null {
  if (place === undefined || place.host === own) return null;
  const { tracked_agent_id, agent_name, tool, transport, terminal_id } = agent;
  const { state, detail, host, reference, presence, seconds_ago: ago } = place;
  const elsewhere: OtherPlace = {
    host,
    reference,
    presence,
    heardAt: ago === null ? null : readAt - ago * 1000,
  };
  const unknown = { question: null, queue: null, running: null, last_turn: null };
  const seen = { tracked_agent_id, agent_name, tool, transport, terminal_id, state, detail };
  // A prompt is for its queue until its host says that it has none.
  return { ...seen, ...unknown, has_gateway: true, unseen: true, elsewhere };
}

/** The states whose agents come last; those that need a person come first, and those with a difficulty between them. */
const untroubled: ReadonlySet<string> = new Set(['working', 'busy', 'ready']);
const urgency = ({ state }: ListedAgent): number =>
  state === 'needs_person' ? 0 : untroubled.has(state) ? 2 : 1;

/**
 * Returns the agents of the chosen host, or of all, those that need a person first.
 * @param own those of this host, in the order of its overview. @param chosen the name of a host; null for all
 */
export function agentsOf(
  chosen: string | null,
  own: readonly ListedAgent[],
  fleet: SeenFleet | null,
): readonly ListedAgent[] {
  if (fleet === null || chosen === fleet.status.host) return own;
  if (chosen !== null) return inOrder(fleet.agents.filter(({ elsewhere }) => elsewhere?.host === chosen));
  return inOrder([...own, ...fleet.agents]);
}

const inOrder = (agents: readonly ListedAgent[]): ListedAgent[] =>
  [...agents].sort((one, other) => urgency(one) - urgency(other) || (nameOf(one) < nameOf(other) ? -1 : 1));

/** Whether prompts for the agent are kept by the fleet now, since its host does not take them. */
export const isAway = ({ elsewhere }: Pick<ListedAgent, 'elsewhere'>): boolean =>
  elsewhere !== undefined && elsewhere.presence !== 'online';

/** Returns the age of what is known of an agent whose host is away; null for one whose host is there. */
export function knownAge(agent: Pick<ListedAgent, 'elsewhere'>, now: number): string | null {
  const { elsewhere } = agent;
  if (elsewhere === undefined || !isAway(agent)) return null;
  return elsewhere.heardAt === null ? 'never seen' : `as of ${lengthOf(now - elsewhere.heardAt)} ago`;
}

/** Returns how a host is there, in words. @param readAt when that was read, and `now`: in milliseconds of the browser's clock */
export function presenceWords(
  { presence, seconds_ago, is_this }: Pick<Host, 'presence' | 'seconds_ago' | 'is_this'>,
  readAt: number,
  now: number,
): string {
  const heardAt = readAt - seconds_ago * 1000;
  const since = `${timeOf(heardAt, now)}, ${lengthOf(now - heardAt)} ago`;
  switch (presence) {
    case 'online':
      return 'online';
    case 'left':
      return `left at ${since}`;
    case 'away':
      return `away since ${since}`;
    default:
      return is_this ? 'out of its fleet' : `${presence}, last heard of at ${since}`;
  }
}

/** Returns the sentence for a host that is not in its fleet now; null for one that is. */
export function outsideWords(
  { state, since_utc, detail }: Schemas['FleetStatus'],
  now: number,
): string | null {
  if (state === 'online' || state === 'none') return null;
  const began = since_utc === null ? null : Date.parse(since_utc);
  const since = began === null ? '' : ` since ${timeOf(began, now)}`;
  const why = detail === null ? '' : `: ${detail.replace(/[.]$/, '')}`;
  return `This host is ${stateWords[state] ?? state}${since}${why}. The hosts and agents of the fleet are shown as they were last known.`;
}

const stateWords: Readonly<Record<string, string>> = {
  connecting: 'not in its fleet yet, and tries',
  offline: 'out of its fleet',
  refused: 'refused by its fleet',
};

/** Returns a moment as people of this place write it: the time of day, with the date where that is not today. */
function timeOf(moment: number, now: number): string {
  const [then, today] = [new Date(moment), new Date(now)];
  const time = then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return then.toDateString() === today.toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

/** Returns how far a prompt came that was given to the fleet. */
export function commandWords({ state, host, detail, request_id }: Schemas['FleetCommand']): string {
  const why = detail === null ? '' : `: ${detail}`;
  switch (state) {
    case 'accepted':
      return `accepted by the fleet, waits for host ${host}`;
    case 'admitting':
      return `host ${host} is taking it${why}`;
    case 'refused':
      return `host ${host} refused it${why}`;
    case 'lapsed':
      return `lapsed: host ${host} did not take it in time`;
    case 'cancelled':
      return 'cancelled';
    default:
      return `host ${host} has it as ${request_id}`;
  }
}
