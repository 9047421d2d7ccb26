import type { components, operations } from '../../../generated/managed-agent/types.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { spokenName } from '../directory/agent-directory.js';
import { byPlace, type ListPlace, type ManagedAgent } from '../directory/managed-agents.js';
import { type AgentOverview, unseenAgent } from './agent-overview.js';

// A list of agents as a caller asks for it. Pure: the agents, and how they stand, are given.

/** The filters and the page that a caller asks for; a filter that is left out lets every agent pass. */
export type ListQuery = NonNullable<operations['listAgents']['parameters']['query']>;

/** An agent of a list, and how it stands; null where that was not asked. */
export interface AgentEntry {
  readonly agent: ManagedAgent;
  readonly standing: AgentOverview | null;
}

interface AgentPage {
  readonly agents: readonly AgentEntry[];
  /** The cursor of the next page; null on the last one, undefined where no page was asked for. */
  readonly next: string | null | undefined;
}

/** Decides whether a list depends on how the agents stand. */
export const needsStanding = ({ state, with: added }: ListQuery): boolean =>
  state !== undefined || added === 'standing';

/**
 * Returns those agents that pass every filter, or the page of them that begins behind the cursor.
 * @param agents as the directory lists them, in the order of their places.
 * @param overview how they stand, where {@link needsStanding}; one that is not in it was not seen yet.
 */
export function listedAgents(
  agents: readonly ManagedAgent[],
  overview: readonly AgentOverview[] | null,
  query: ListQuery,
): AgentPage {
  const { limit, cursor } = query;
  const lines = new Map(overview?.map((line) => [keyOf(line.transport, line.tracked_agent_id), line]));
  const lineOf = (agent: ManagedAgent): AgentOverview =>
    lines.get(keyOf(agent.transport, agent.trackedAgentId)) ?? unseenAgent(agent, 'It gives no sign yet.');
  const after = cursor === undefined ? null : decodePlace(cursor);
  const found = agents
    .filter((agent) => (after === null || byPlace(agent, after) > 0) && hasNames(agent, query))
    .map((agent) => ({ agent, standing: overview && lineOf(agent) }))
    .filter(({ standing }) => query.state === undefined || standing?.state === query.state);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (limit === undefined && cursor === undefined) return { agents: page, next: undefined };
  return { agents: page, next: last && page.length < found.length ? encodePlace(last.agent) : null };
}

function hasNames(agent: ManagedAgent, { tool, transport, name }: ListQuery): boolean {
  return (
    (tool === undefined || agent.tool === tool) &&
    (transport === undefined || agent.transport === transport) &&
    (name === undefined || spokenName(agent).startsWith(unprefixedName(name)))
  );
}

const keyOf = (transport: components['schemas']['AgentTransport'], id: string): string =>
  `${transport} ${id}`;

/** Encodes the place at which a page ended. */
const encodePlace = ({ transport, trackedAgentId }: ListPlace): string =>
  `${transport}.${Buffer.from(trackedAgentId).toString('base64url')}`;

/** @param cursor a text that matches the contract's pattern; each such text is a place, also where no agent is. */
function decodePlace(cursor: string): ListPlace {
  const dot = cursor.indexOf('.');
  return {
    transport: cursor.startsWith('tui') ? 'tui' : 'headless',
    trackedAgentId: Buffer.from(cursor.slice(dot + 1), 'base64url').toString(),
  };
}
