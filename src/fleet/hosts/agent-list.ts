import { unprefixedName } from '../../launch/agent-name.js';
import type { HostPresence } from './host-record.js';

// The agents of a fleet as a caller asks for them, page by page. Pure: what is known of them is given.

/** An agent as its host says it is: its names, and how it stands. Nothing of its prompts and answers. */
export interface AgentCopy {
  readonly version: 1;
  readonly host: string;
  readonly tracked_agent_id: string;
  readonly agent_name: string | null;
  readonly agent_id: string | null;
  readonly tool: string;
  readonly transport: 'tui' | 'headless';
  readonly state: string;
  readonly detail: string | null;
  /** The epoch of its lease; left out for an agent without one. */
  readonly epoch?: number;
}

/** The filters and the page that a caller asks for; a filter that is left out lets every agent pass. */
export interface FleetListQuery {
  readonly state?: string | undefined;
  readonly tool?: string | undefined;
  readonly transport?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** How much is known of a host: whether it is there, and when it was last heard of. */
export interface HostKnowledge {
  readonly presence: HostPresence | 'unknown';
  readonly heardAt: Date | null;
  readonly ageMilliseconds: number | null;
}

export interface FleetPage {
  readonly agents: readonly AgentCopy[];
  /** The cursor of the next page; null on the last one, undefined where no page was asked for. */
  readonly next: string | null | undefined;
}

/**
 * Returns those agents that pass every filter, or the page of them that begins behind the cursor.
 * @param agents in the order of {@link byHost}.
 */
export function listedInFleet(agents: readonly AgentCopy[], query: FleetListQuery): FleetPage {
  const { limit = Number.POSITIVE_INFINITY, cursor } = query;
  const page: AgentCopy[] = [];
  let isMore = false;
  for (
    let at = cursor === undefined ? 0 : firstBehind(agents, readPlace(cursor));
    at < agents.length;
    at += 1
  ) {
    const agent = agents[at] as AgentCopy;
    if (!passes(agent, query)) continue;
    isMore = page.length === limit;
    if (isMore) break;
    page.push(agent);
  }
  if (query.limit === undefined && cursor === undefined) return { agents: page, next: undefined };
  const last = page.at(-1);
  return { agents: page, next: isMore && last ? writePlace(last) : null };
}

type Place = Pick<AgentCopy, 'host' | 'transport' | 'tracked_agent_id'>;

/** Compares two places in the list of a fleet: by host, then as each host lists its agents. */
export const byHost = (one: Place, other: Place): number =>
  compare(one.host, other.host) ||
  compare(one.transport, other.transport) ||
  compare(one.tracked_agent_id, other.tracked_agent_id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the index of the first agent behind a place. */
function firstBehind(agents: readonly AgentCopy[], place: Place): number {
  let from = 0;
  let to = agents.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byHost(agents[middle] as AgentCopy, place) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

const nameOf = ({ agent_name, tracked_agent_id }: AgentCopy): string =>
  agent_name === null ? tracked_agent_id : unprefixedName(agent_name);

const passes = (agent: AgentCopy, { state, tool, transport, name }: FleetListQuery): boolean =>
  (state === undefined || agent.state === state) &&
  (tool === undefined || agent.tool === tool) &&
  (transport === undefined || agent.transport === transport) &&
  (name === undefined || nameOf(agent).startsWith(unprefixedName(name)));

const writePlace = ({ host, transport, tracked_agent_id }: Place): string =>
  `${host}.${transport}.${Buffer.from(tracked_agent_id).toString('base64url')}`;

/** @param cursor a text that matches the contract's pattern; one of a single host's list is before every host. */
function readPlace(cursor: string): Place {
  const [id = '', transport, host = ''] = cursor.split('.').reverse();
  return {
    host,
    transport: transport === 'tui' ? 'tui' : 'headless',
    tracked_agent_id: Buffer.from(id, 'base64url').toString(),
  };
}
