import { EventStream } from '../../contract/handler-types.js';
import { quietSeconds, readEvent } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import { type ManagedAgent, spokenName } from '../directory/managed-agent.js';
import type { GatewayForwarder } from '../forwarding/forwarder.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
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
/** How often an agent without a gateway is looked at. */
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
  #unfollow: (() => void) | null = null;
  #readers = 0;
  #lastRead = 0;

  constructor(parts: HostEventParts) {
    this.#parts = parts;
  }

  async answer(wanted: EventsWanted): Promise<HostEventPage | EventStream<HostEventPage>> {
    const place = wanted.after === 'latest' ? await this.#latestPlace() : readCursor(wanted.after);
    if (!wanted.streams) return this.#page(place, wanted);
    return new EventStream(this.#pages(place, wanted), ({ events }) =>
      events.map((data) => ({ id: data.id, event: data.event?.kind ?? 'gap', data })),
    );
  }

  /** Ends everything; called when the server stops. */
  close(): void {
    this.#stop();
    this.#waiters.releaseAll();
  }

  async *#pages(from: HostCursor, wanted: EventsWanted): AsyncGenerator<HostEventPage> {
    let place = from;
    while (!wanted.signal.aborted) {
      const page = await this.#page(place, { ...wanted, waitSeconds: quietSeconds });
      yield page;
      place = readCursor(page.next_after);
    }
  }

  async #page(place: HostCursor, { limit, waitSeconds, signal }: EventsWanted): Promise<HostEventPage> {
    const { clock, directory } = this.#parts;
    const deadline = clock.monotonic() + waitSeconds * 1000;
    this.#readers += 1;
    try {
      for (;;) {
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
        await this.#waiters.wait(anything, left, signal);
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
    const found = await this.#eventsAfter(agent, after, limit, 0, new AbortController().signal);
    if (found !== 'gap') return { trackedAgentId, agentName, events: found ?? [], gap: null };
    const events = await this.#eventsAfter(agent, 0, limit, 0, new AbortController().signal);
    const gap = `The record of events of ${spokenName(agent)} began again; those between ${after} and its beginning are not known.`;
    return { trackedAgentId, agentName, events: events === 'gap' || events === null ? [] : events, gap };
  }

  /** @returns `gap` if there is no such event; null if the events cannot be read now. */
  async #eventsAfter(
    agent: ManagedAgent,
    after: number,
    limit: number,
    wait_seconds: number,
    signal: AbortSignal,
  ): Promise<GatewayEvent[] | 'gap' | null> {
    const query = { after, limit, wait_seconds };
    const result = await this.#parts.forwarder.forward(agent, 'listEvents', { query, signal });
    if (result.kind === 'answered') {
      if (result.answer.kind === 'done') return result.answer.body.events;
      return result.answer.status === 410 ? 'gap' : null;
    }
    return result.kind === 'no_gateway' ? this.#storedAfter(agent, after, limit) : null;
  }

  #storedAfter(agent: ManagedAgent, after: number, limit: number): GatewayEvent[] | 'gap' | null {
    try {
      const held = this.#parts.sessions.of(agent);
      const events = held?.read((records) => records.eventsAfter(after, limit), []) ?? [];
      if (events.length > 0) return events.map(readEvent) as GatewayEvent[];
      return after > this.#lastStored(agent) ? 'gap' : [];
    } catch {
      return null;
    }
  }

  #lastStored(agent: ManagedAgent): number {
    return this.#parts.sessions.of(agent)?.read((records) => records.lastEvent(), 0) ?? 0;
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
    try {
      const last = this.#lastStored(agent);
      if (last === 0) return 0;
      const shown = await this.#eventsAfter(agent, last - 1, 1, 1, new AbortController().signal);
      return shown === null || shown === 'gap' ? 0 : (shown[0]?.seq ?? last - 1);
    } catch {
      return 0;
    }
  }

  #start(): void {
    if (this.#unfollow !== null) return;
    this.#unfollow = this.#parts.directory.follow(() => this.#followAll());
    this.#followAll();
    void this.#linger();
  }

  async #linger(): Promise<void> {
    const { clock } = this.#parts;
    const started = this.#unfollow;
    while (this.#unfollow === started) {
      await clock.sleep(lingerMilliseconds);
      if (this.#readers === 0 && clock.monotonic() - this.#lastRead >= lingerMilliseconds) this.#stop();
    }
  }

  #stop(): void {
    this.#unfollow?.();
    this.#unfollow = null;
    for (const following of this.#following.values()) following.abort();
    this.#following.clear();
    this.#latest.clear();
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
      if (this.#following.has(agent.trackedAgentId)) continue;
      const following = new AbortController();
      this.#following.set(agent.trackedAgentId, following);
      void this.#follow(agent, following.signal);
    }
    this.#waiters.wake(anything);
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
        latest = this.#lastKnown(agent, latest);
      }
      if (this.#latest.get(key) === latest) continue;
      this.#latest.set(key, latest);
      this.#waiters.wake(anything);
    }
  }

  #lastKnown(agent: ManagedAgent, otherwise: number): number {
    try {
      return this.#lastStored(agent);
    } catch {
      return otherwise;
    }
  }
}
