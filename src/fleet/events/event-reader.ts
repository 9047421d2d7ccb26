import type { Schemas } from '@houmao/sdk/managed-agent';
import { DeliverPolicy, type StreamInfo } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import type { Clock } from '../../foundation/clock.js';
import { onAbort, Waiters } from '../../foundation/concurrency.js';
import { streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import type { PublishedEvent } from './event-publisher.js';

/** One thing that happened to an agent of the fleet, or a gap in what is known. */
export interface FleetEventItem {
  /** The place behind it. */
  readonly id: string;
  readonly host: string | null;
  readonly tracked_agent_id: string | null;
  readonly agent_name: string | null;
  readonly event: Schemas['HostEvent']['event'];
  readonly gap: string | null;
}

export interface FleetEventPage {
  readonly events: FleetEventItem[];
  readonly next_after: string;
}

/** A place among the events of a fleet: the stream, by the second in which it was made, and a sequence in it. */
export interface FleetPlace {
  readonly stream: string;
  readonly sequence: number;
}

/** Reads a place, whose form the contract has checked; null for the beginning. */
export function readPlace(text: string | undefined): FleetPlace | null {
  if (text === undefined || text === '0') return null;
  const [stream = '', sequence] = text.split('-');
  return { stream, sequence: Number(sequence) };
}

const writePlace = ({ stream, sequence }: FleetPlace): string => `${stream}-${sequence}`;

/** Pure: the name of a stream in places: one that is made again is another one. */
export const streamName = (createdAt: string): string =>
  Math.floor(Date.parse(createdAt) / 1000).toString(36);

/** Pure: where to begin to read, and why something before that is missing; null where nothing is. */
export function beginning(
  after: FleetPlace | null,
  stream: string,
  { first, last }: { first: number; last: number },
): { from: number; gap: string | null } {
  if (after === null) return { from: first, gap: null };
  if (after.stream !== stream || after.sequence > last)
    return { from: first, gap: 'The stream of events began again; those between are not known.' };
  if (after.sequence + 1 < first)
    return {
      from: first,
      gap: 'Events between were kept for as long as the fleet keeps them, and are gone.',
    };
  return { from: after.sequence + 1, gap: null };
}

/**
 * Pure: whether the server that answered knows the whole stream. Without a leader any server answers with what it has itself, which may be
 * long behind. A leader that is cut off from the others still leads for ten seconds; they choose a new one after four.
 */
export function knowsAll({ cluster }: Pick<StreamInfo, 'cluster'>): boolean {
  if (cluster === undefined) return true;
  const { leader, replicas = [] } = cluster;
  const heard = replicas.filter(({ active, offline }) => offline !== true && active < 3e9).length;
  return leader !== undefined && (heard + 1) * 2 > replicas.length + 1;
}

const anything = 'anything';
/** How long a reader that has no place yet waits for a leader, in milliseconds. */
const electionMilliseconds = 5000;

/** Reads the events of all hosts, in the order of the stream. */
export class EventReader {
  readonly #clock: Clock;
  readonly #waiters = new Waiters();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notices new events, until the session ends. A hint: readers look for themselves from time to time. */
  async listen({ streams: jetstream, ended }: FleetSession): Promise<void> {
    const consumer = await jetstream.consumers.get(streams.events, {
      deliver_policy: DeliverPolicy.New,
      headers_only: true,
    });
    const messages = await consumer.consume();
    const stop = (): void => messages.stop();
    const letGo = onAbort(ended, stop);
    for await (const _ of messages) this.#waiters.wake(anything);
    letGo();
    this.#waiters.releaseAll();
    if (!ended.aborted) throw new Error('the stream of events cannot be followed any more');
  }

  async page(
    { manager, ended }: Pick<FleetSession, 'manager' | 'ended'>,
    wanted: { after: string | undefined; limit: number; waitSeconds: number; signal: AbortSignal },
  ): Promise<FleetEventPage> {
    const begun = this.#clock.monotonic();
    const deadline = begun + wanted.waitSeconds * 1000;
    const over = AbortSignal.any([wanted.signal, ended]);
    let { after } = wanted;
    for (;;) {
      const place = after === 'latest' ? null : readPlace(after);
      const until = place === null ? Math.max(deadline, begun + electionMilliseconds) : deadline;
      const info = await this.#current(manager, until, over);
      if (info === null) {
        if (place === null) throw new TimeoutError();
        return { events: [], next_after: writePlace(place) };
      }
      const stream = streamName(info.created);
      if (after === 'latest') after = writePlace({ stream, sequence: info.state.last_seq });
      const { from, gap } = beginning(readPlace(after), stream, rangeOf(info));
      const batch = { stream, from, limit: wanted.limit };
      const found = from > info.state.last_seq ? [] : await this.#read(manager, batch, over);
      const events = gap === null ? found : [gapItem({ stream, sequence: from - 1 }, gap), ...found];
      const left = deadline - this.#clock.monotonic();
      if (events.length > 0 || left <= 0 || over.aborted)
        return { events, next_after: events.at(-1)?.id ?? after ?? writePlace({ stream, sequence: 0 }) };
      await this.#waiters.wait(anything, Math.min(left, lookMilliseconds), over);
    }
  }

  /** Returns the state of the stream, as a server has it that knows all of it; null where none answers before `until`. */
  async #current(
    manager: FleetSession['manager'],
    until: number,
    over: AbortSignal,
  ): Promise<StreamInfo | null> {
    for (;;) {
      const info = await manager.streams.info(streams.events);
      if (knowsAll(info)) return info;
      const left = until - this.#clock.monotonic();
      if (left <= 0 || over.aborted) return null;
      await this.#clock.sleep(Math.min(left, 500), over);
    }
  }

  /** @returns those that came until the session or the caller was gone: the library does not end a batch with its connection. */
  async #read(
    manager: FleetSession['manager'],
    { stream, from, limit }: { stream: string; from: number; limit: number },
    over: AbortSignal,
  ): Promise<FleetEventItem[]> {
    const events: FleetEventItem[] = [];
    const batch = await manager.direct.getBatch(streams.events, { seq: from, batch: limit });
    const letGo = onAbort(over, () => batch.stop());
    for await (const message of batch) {
      const place = { stream, sequence: message.seq };
      events.push(itemOf(message.string(), place) ?? gapItem(place, notOurs(message.subject)));
    }
    letGo();
    return events;
  }
}

/** A reader looks for itself after this time, since notices may be lost. */
const lookMilliseconds = 5000;

const rangeOf = ({ state }: StreamInfo): { first: number; last: number } => ({
  first: Math.max(1, state.first_seq),
  last: state.last_seq,
});

const notOurs = (subject: string): string => `A message on ${subject} is no event that this release knows.`;

const gapItem = (place: FleetPlace, gap: string): FleetEventItem => ({
  id: writePlace(place),
  host: null,
  tracked_agent_id: null,
  agent_name: null,
  event: null,
  gap,
});

function itemOf(text: string, place: FleetPlace): FleetEventItem | null {
  try {
    const { version, host, item } = JSON.parse(text) as PublishedEvent;
    if (version !== 1 || typeof host !== 'string') return null;
    const { tracked_agent_id, agent_name, event, gap } = item;
    return { id: writePlace(place), host, tracked_agent_id, agent_name, event, gap };
  } catch {
    return null;
  }
}
