import { EventStream, quietSeconds, type ServerSentEvent } from '../../contract/event-stream.js';
import { readEvent } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import { type AgentDirectory, spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { GatewayForwarder } from '../forwarding/forwarder.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import { RecordsUnreadable, type SessionRecords } from '../sessions/session-records.js';
import type { Sessions } from '../sessions/sessions.js';
import {
  type AgentEvents,
  type HostCursor,
  type HostEvent,
  keyOf,
  merged,
  readCursor,
  writeCursor,
} from './host-cursor.js';

export type GatewayEvent = GatewayBody<'listEvents'>['events'][number];

export interface HostEventPage {
  readonly schema_version: 1;
  readonly events: HostEvent<GatewayEvent>[];
  readonly next_after: string;
}

export interface HostEventParts {
  readonly directory: Pick<AgentDirectory, 'list' | 'follow' | 'refresh'>;
  readonly forwarder: Pick<GatewayForwarder, 'forward'>;
  readonly sessions: Pick<Sessions, 'of'>;
  readonly clock: Clock;
  report(fault: string): void;
}

/** How a caller wants events. */
export interface EventsWanted {
  readonly after: string | undefined;
  readonly limit: number;
  readonly waitSeconds: number;
  readonly streams: boolean;
  readonly signal: AbortSignal;
}

/** How long a gateway is asked to wait for news. */
const askSeconds = 30;
/** How often an agent is looked at that has no gateway, or whose gateway does not answer. */
const lookMilliseconds = 500;
/** How long news are waited for after the last reader has left: the next page of a reader comes soon. */
const lingerMilliseconds = 5000;
const anything = 'anything';

/**
 * The events of all agents of this host, in one order. While readers wait, each gateway is asked for news once, for all of them; what a
 * reader gets is read from its own place.
 */
export class HostEventFeed {
  readonly #parts: HostEventParts;
  readonly #waiters = new Waiters();
  /** The number of the last event of each agent that is followed. */
  readonly #latest = new Map<string, number>();
  readonly #following = new Map<string, AbortController>();
  /** Changes with each piece of news, so that a reader sees what came while it read. */
  #news = 0;
  /** Aborted when the last follower has left; null without followers. */
  #asking: AbortController | null = null;
  #readers = 0;
  readonly #listeners = new Set<(trackedAgentId: string) => void>();
  #lastRead = 0;

  constructor(parts: HostEventParts) {
    this.#parts = parts;
  }

  async answer(wanted: EventsWanted): Promise<HostEventPage | EventStream<HostEventPage>> {
    const place = wanted.after === 'latest' ? await this.#latestPlace() : readCursor(wanted.after);
    if (!wanted.streams) return this.#page(place, wanted);
    const { signal } = wanted;
    const next = ({ next_after }: HostEventPage): Promise<HostEventPage> =>
      this.#page(readCursor(next_after), { ...wanted, waitSeconds: quietSeconds });
    const first = await this.#page(place, { ...wanted, waitSeconds: 0 });
    return EventStream.of(first, { next, eventsOf, signal });
  }

  /**
   * Follows the agents as a reader that waits does.
   * @param listener called with the tracked id of an agent whenever there is news of it.
   * @returns the function that ends it.
   */
  followNews(listener: (trackedAgentId: string) => void): () => void {
    this.#listeners.add(listener);
    this.#readers += 1;
    this.#start();
    return () => {
      if (!this.#listeners.delete(listener)) return;
      this.#readers -= 1;
      this.#lastRead = this.#parts.clock.monotonic();
    };
  }

  /** Returns the place behind everything that has happened. */
  async latestPlace(): Promise<string> {
    return writeCursor(await this.#latestPlace());
  }

  /** Ends everything; called when the server stops. */
  close(): void {
    this.#stop();
    this.#waiters.releaseAll();
  }

  async #page(place: HostCursor, { limit, waitSeconds, signal }: EventsWanted): Promise<HostEventPage> {
    const { clock, directory } = this.#parts;
    const deadline = clock.monotonic() + waitSeconds * 1000;
    this.#readers += 1;
    try {
      for (;;) {
        const news = this.#news;
        await directory.refresh();
        const read = await Promise.all(
          directory
            .list()
            .flatMap((agent) => (this.#mayHaveNews(agent, place) ? [this.#read(agent, place, limit)] : [])),
        );
        const { items, next } = merged(read, place, limit);
        const left = deadline - clock.monotonic();
        if (items.length > 0 || left <= 0 || signal.aborted)
          return { schema_version: 1, events: items, next_after: writeCursor(next) };
        this.#start();
        if (news === this.#news) await this.#waiters.wait(anything, left, signal);
      }
    } finally {
      this.#readers -= 1;
      this.#lastRead = clock.monotonic();
    }
  }

  #mayHaveNews({ trackedAgentId }: ManagedAgent, place: HostCursor): boolean {
    const key = keyOf(trackedAgentId);
    const latest = this.#latest.get(key);
    return latest === undefined || latest !== (place.get(key) ?? 0);
  }

  async #read(agent: ManagedAgent, place: HostCursor, limit: number): Promise<AgentEvents<GatewayEvent>> {
    const { trackedAgentId, agentName } = agent;
    const after = place.get(keyOf(trackedAgentId)) ?? 0;
    const found = await this.#eventsAfter(agent, { after, limit });
    if (found !== 'gap') return { trackedAgentId, agentName, events: found ?? [], gap: null };
    const events = await this.#eventsAfter(agent, { after: 0, limit });
    const gap = `The record of events of ${spokenName(agent)} began again; those between ${after} and its beginning are not known.`;
    return { trackedAgentId, agentName, events: events === 'gap' || events === null ? [] : events, gap };
  }

  /** @returns `gap` if there is no such event; null if the events cannot be read now. */
  async #eventsAfter(
    agent: ManagedAgent,
    query: { after: number; limit: number; wait_seconds?: number },
  ): Promise<GatewayEvent[] | 'gap' | null> {
    const result = await this.#parts.forwarder.forward(agent, 'listEvents', { query });
    if (result.kind === 'answered') {
      if (result.answer.kind === 'done') return result.answer.body.events;
      return result.answer.status === 410 ? 'gap' : null;
    }
    if (result.kind !== 'no_gateway') return null;
    return this.#stored(agent, (records) => {
      const events = records.eventsAfter(query.after, query.limit);
      if (events.length === 0 && query.after > records.lastEvent()) return 'gap';
      return events.map(readEvent) as GatewayEvent[];
    });
  }

  /** Reads the database of an agent. @returns null if that cannot be read now, or there is none. */
  #stored<T>(agent: ManagedAgent, work: (records: SessionRecords) => T): T | null {
    try {
      return this.#parts.sessions.of(agent)?.read<T | null>(work, null) ?? null;
    } catch (error) {
      if (error instanceof RecordsUnreadable) return null;
      throw error;
    }
  }

  /** Returns the place behind the events that there are. */
  async #latestPlace(): Promise<HostCursor> {
    const places = await Promise.all(
      this.#parts.directory.list().map(async (agent) => {
        const last = await this.#lastShown(agent);
        return [keyOf(agent.trackedAgentId), last] as const;
      }),
    );
    return new Map(places.filter(([, last]) => last > 0));
  }

  /** A gateway shows an event once it is on disk, a moment after it is in the database. */
  async #lastShown(agent: ManagedAgent): Promise<number> {
    const last = this.#stored(agent, (records) => records.lastEvent()) ?? 0;
    if (last === 0) return 0;
    const shown = await this.#eventsAfter(agent, { after: last - 1, limit: 1, wait_seconds: 1 });
    return shown === null || shown === 'gap' ? 0 : (shown[0]?.seq ?? last - 1);
  }

  #start(): void {
    if (this.#asking !== null) return;
    const asking = new AbortController();
    this.#asking = asking;
    const { clock, directory } = this.#parts;
    asking.signal.addEventListener(
      'abort',
      directory.follow(() => this.#followAll()),
    );
    this.#followAll();
    const linger = async (): Promise<void> => {
      while (!asking.signal.aborted) {
        await clock.sleep(lingerMilliseconds, asking.signal);
        if (this.#readers === 0 && clock.monotonic() - this.#lastRead >= lingerMilliseconds) this.#stop();
      }
    };
    void linger();
  }

  #stop(): void {
    this.#asking?.abort();
    this.#asking = null;
    for (const following of this.#following.values()) following.abort();
    this.#following.clear();
    this.#latest.clear();
  }

  #wake(): void {
    this.#news += 1;
    this.#waiters.wake(anything);
  }

  #followAll(): void {
    const agents = this.#parts.directory.list();
    const present = new Set(agents.map(({ trackedAgentId }) => trackedAgentId));
    for (const [id, following] of this.#following) {
      if (present.has(id)) continue;
      following.abort();
      this.#following.delete(id);
      this.#latest.delete(keyOf(id));
    }
    for (const agent of agents) {
      const { trackedAgentId } = agent;
      if (this.#following.has(trackedAgentId)) continue;
      const following = new AbortController();
      this.#following.set(trackedAgentId, following);
      this.#follow(agent, following.signal).catch((error: Error) => {
        this.#following.delete(trackedAgentId);
        this.#parts.report(`the events of ${spokenName(agent)} are not followed: ${error.message}`);
      });
    }
    this.#wake();
  }

  /** Keeps the number of the last event of an agent, and wakes the readers when it changes. */
  async #follow(agent: ManagedAgent, signal: AbortSignal): Promise<void> {
    const { clock, forwarder } = this.#parts;
    const key = keyOf(agent.trackedAgentId);
    let latest = Math.max(0, (await this.#lastShown(agent)) - 1);
    while (!signal.aborted) {
      const query = { after: latest, limit: 200, wait_seconds: askSeconds };
      const result = await forwarder.forward(agent, 'listEvents', { query, signal });
      if (signal.aborted) return;
      const answer = result.kind === 'answered' ? result.answer : null;
      if (answer?.kind === 'done') latest = answer.body.next_after;
      else if (answer?.status === 410) latest = 0;
      else {
        await clock.sleep(lookMilliseconds, signal);
        if (signal.aborted) return;
        if (result.kind !== 'no_gateway') continue;
        latest = this.#stored(agent, (records) => records.lastEvent()) ?? latest;
      }
      if (this.#latest.get(key) === latest) continue;
      this.#latest.set(key, latest);
      this.#wake();
      for (const listener of this.#listeners) listener(agent.trackedAgentId);
    }
  }
}

const eventsOf = ({ events }: HostEventPage): ServerSentEvent[] =>
  events.map((data) => ({ id: data.id, event: data.event?.kind ?? 'gap', data }));
