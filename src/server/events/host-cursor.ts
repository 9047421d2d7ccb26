import { createHash } from 'node:crypto';

/** How far the events of each agent were read: the number of the last one, by {@link keyOf}. */
export type HostCursor = ReadonlyMap<string, number>;

/** An event of a gateway, as far as the order among several agents needs it. */
interface Numbered {
  readonly seq: number;
  readonly at_utc: string;
}

/** The events of one agent behind a place, oldest first. */
export interface AgentEvents<Event extends Numbered> {
  readonly trackedAgentId: string;
  readonly agentName: string | null;
  readonly events: readonly Event[];
  /** Why the events between that place and the first one here are not known; null if they are. */
  readonly gap: string | null;
}

/** An event with its agent, or the gap before the events of an agent that follow. */
export type HostEvent<Event> = {
  /** The place behind it, among the events of all agents. */
  readonly id: string;
  readonly tracked_agent_id: string;
  readonly agent_name: string | null;
} & ({ readonly event: Event; readonly gap: null } | { readonly event: null; readonly gap: string });

/** Returns the short name of an agent in a cursor, of which a host with many agents has as many. */
export const keyOf = (trackedAgentId: string): string =>
  createHash('sha256').update(trackedAgentId).digest('hex').slice(0, 8);

/** Reads a cursor, whose form the contract has checked; the beginning for one that is left out. */
export function readCursor(text: string | undefined): HostCursor {
  const places = new Map<string, number>();
  for (const part of text === undefined || text === '0' ? [] : text.split('_')) {
    const [key = '', seq] = part.split('-');
    places.set(key, Number(seq));
  }
  return places;
}

/** Writes a cursor with the characters that a query and a header may have. */
export const writeCursor = (cursor: HostCursor): string =>
  cursor.size === 0 ? '0' : [...cursor].map(([key, seq]) => `${key}-${seq}`).join('_');

/**
 * Pure: puts the events of several agents into one order: by time, those of one agent always in their own order.
 * @param most the largest number of items to return; the rest stays for the next page.
 */
export function merged<Event extends Numbered>(
  read: readonly AgentEvents<Event>[],
  from: HostCursor,
  most: number,
): { items: HostEvent<Event>[]; next: HostCursor } {
  const next = new Map(from);
  const items: HostEvent<Event>[] = [];
  const heads = read
    .map((agent) => ({ agent, at: 0, gap: agent.gap }))
    .filter(({ agent, gap }) => gap !== null || agent.events.length > 0);
  while (items.length < most) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      const event = head.agent.events[head.at];
      if (head.gap === null && event === undefined) continue;
      if (first === null || timeOf(head) < timeOf(first)) first = head;
    }
    if (first === null) break;
    const { trackedAgentId, agentName, events } = first.agent;
    const named = { tracked_agent_id: trackedAgentId, agent_name: agentName };
    const event = events[first.at];
    if (first.gap !== null) {
      next.set(keyOf(trackedAgentId), 0);
      items.push({ id: writeCursor(next), ...named, event: null, gap: first.gap });
      first.gap = null;
    } else if (event !== undefined) {
      next.set(keyOf(trackedAgentId), event.seq);
      items.push({ id: writeCursor(next), ...named, event, gap: null });
      first.at += 1;
    }
  }
  return { items, next };
}

/** A gap comes before everything. */
const timeOf = ({
  agent,
  at,
  gap,
}: {
  agent: AgentEvents<Numbered>;
  at: number;
  gap: string | null;
}): string => (gap === null ? (agent.events[at]?.at_utc ?? '') : '');
