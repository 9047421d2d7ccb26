import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import { headers } from '@nats-io/transport-node';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { Waiters } from '../../foundation/concurrency.js';
import { eventSubject, streams } from '../engine/layout.js';
import type { FleetSession } from '../engine/link.js';
import { isWrongSequence } from '../hosts/host-board.js';
import type { OutboxTable } from './outbox-table.js';

export interface PublisherParts {
  readonly host: string;
  readonly journal: Journal;
  readonly outbox: OutboxTable;
  readonly client: Pick<HoumaoClient, 'listHostEvents'>;
  readonly clock: Clock;
  /** Called with events as they are put into the outbox, in the same transaction. */
  filled(events: readonly Schemas['HostEvent'][]): void;
  report(fault: string): void;
}

/** An event of a host, as the stream has it. */
export interface PublishedEvent {
  readonly version: 1;
  readonly host: string;
  /** Its number on that host. */
  readonly number: number;
  readonly item: Schemas['HostEvent'];
}

/** The header with the number of an event. */
export const numberHeader = 'Houmao-Number';

const pageLength = 200;
const waitSeconds = 30;
const afterFaultMilliseconds = 2000;
/** How many published events stay in the outbox: the engine may lose the last ones when its power fails. */
const keptPublished = 1000;
const filled = 'filled';

/**
 * Publishes the events of this host in their order. They are put into the outbox as they happen, with the place up to which they were
 * read, in one transaction; and they leave it one after the other, each behind the one before it in the stream.
 */
export class EventPublisher {
  readonly #parts: PublisherParts;
  readonly #waiters = new Waiters();

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** How many events the fleet does not have yet. */
  get lag(): number {
    const { outbox } = this.#parts;
    return outbox.countAfter(outbox.place()?.published ?? 0);
  }

  /** Puts events into the outbox, until it is stopped. */
  async fill(stopping: AbortSignal): Promise<void> {
    const { clock, report } = this.#parts;
    let reported: string | null = null;
    while (!stopping.aborted) {
      try {
        await this.#fillOnce(stopping);
        reported = null;
      } catch (error) {
        if (stopping.aborted) return;
        const { message } = error as Error;
        if (message !== reported) report(`the events of this host cannot be read for its fleet: ${message}`);
        reported = message;
        await clock.sleep(afterFaultMilliseconds, stopping);
      }
    }
  }

  /** Publishes what is in the outbox, until the session ends. */
  async publish({ streams: jetstream, manager, ended }: FleetSession): Promise<void> {
    const { host, outbox, clock } = this.#parts;
    const subject = eventSubject(host);
    while (!ended.aborted) {
      const place = outbox.place();
      const waiting = place === null ? [] : outbox.after(place.published, pageLength);
      if (place === null || waiting.length === 0) {
        await this.#waiters.wait(filled, 60_000, ended);
        continue;
      }
      let { published, streamSequence } = place;
      try {
        for (const { number, itemJson } of waiting) {
          const event: PublishedEvent = {
            version: 1,
            host,
            number,
            item: JSON.parse(itemJson) as Schemas['HostEvent'],
          };
          const numbered = headers();
          numbered.set(numberHeader, String(number));
          const stored = await jetstream.publish(subject, JSON.stringify(event), {
            expect: { streamName: streams.events, lastSubjectSequence: streamSequence },
            headers: numbered,
          });
          published = number;
          streamSequence = stored.seq;
          if (ended.aborted) break;
        }
      } catch (error) {
        if (!isWrongSequence(error)) {
          await this.#keep({ published, streamSequence });
          throw error;
        }
        // An acknowledgement was lost, or the stream lost events or was made again: it says itself where it stands.
        const last = await manager.streams.getMessage(streams.events, { last_by_subj: subject });
        const number = Number(last?.header.get(numberHeader));
        streamSequence = last?.seq ?? 0;
        if (last !== null && Number.isSafeInteger(number)) published = number;
        await clock.sleep(100, ended);
      }
      await this.#keep({ published, streamSequence });
    }
  }

  async #fillOnce(stopping: AbortSignal): Promise<void> {
    const { client, journal, outbox } = this.#parts;
    const after = outbox.place()?.readUpTo ?? 'latest';
    const page = await client.listHostEvents({
      query: { after, limit: pageLength, wait_seconds: after === 'latest' ? 0 : waitSeconds },
      signal: stopping,
      maxRetries: 0,
    });
    const { events, next_after } = page;
    if (next_after === after) return;
    await journal.write(() => {
      const place = outbox.place() ?? { published: 0, streamSequence: 0 };
      for (const item of events) outbox.insert(item);
      outbox.putPlace({ ...place, readUpTo: next_after });
      this.#parts.filled(events);
    });
    this.#waiters.wake(filled);
  }

  #keep({ published, streamSequence }: { published: number; streamSequence: number }): Promise<void> {
    const { journal, outbox } = this.#parts;
    return journal.write(() => {
      const place = outbox.place();
      if (place === null) return;
      outbox.putPlace({ ...place, published, streamSequence });
      outbox.forgetUpTo(published - keptPublished);
    });
  }
}
