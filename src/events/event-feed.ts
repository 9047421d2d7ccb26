import type { Clock } from '../foundation/clock.js';
import { Waiters } from '../foundation/waiters.js';
import type { EventTable, StoredEvent } from './event-table.js';

const anything = 'anything';

/** The oldest events after a number; or, where there never was one of that number, the number of the last one there is. */
export type EventPage = { events: StoredEvent[] } | { last: number };

/** @param limit of how many events at most. */
export function pageAfter(table: EventTable, after: number, limit: number): EventPage {
  const events = table.readAfter(after, limit);
  if (events.length > 0) return { events };
  const last = table.last();
  return after > last ? { last } : { events };
}

/** Why there is no page behind that number. */
export const noSuchEvent = (after: number, last: number): string =>
  `There is no event ${after}: the last one is ${last}. Either the number is wrong, or the log of events was started again; after=0 reads it from the beginning.`;

/** Reads the events of the queue, and waits for the next ones. */
export class EventFeed {
  readonly #events: EventTable;
  readonly #clock: Clock;
  readonly #arrivals = new Waiters();
  #closed = false;

  constructor(events: EventTable, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  /**
   * @param limit of how many events at most.
   * @param waitSeconds how long to wait when there are none yet.
   * @param signal ends the wait early; the answer then has no events.
   * @returns no events but the last number when `after` lies beyond it: the caller followed another record, as after
   *   the queue was moved aside. It would wait in vain, and miss what came before that number.
   */
  async read(after: number, limit: number, waitSeconds: number, signal: AbortSignal): Promise<EventPage> {
    const deadline = this.#clock.monotonic() + waitSeconds * 1000;
    for (;;) {
      // Also after each wait: the record may have begun anew meanwhile.
      const page = pageAfter(this.#events, after, limit);
      if ('last' in page || page.events.length > 0) return page;
      const left = deadline - this.#clock.monotonic();
      if (left <= 0 || signal.aborted || this.#closed) return page;
      await this.#arrivals.wait(anything, left, signal);
    }
  }

  /** Call this after each commit that added events. */
  arrived(): void {
    this.#arrivals.wake(anything);
  }

  /** Ends every wait, because the gateway stops. */
  close(): void {
    this.#closed = true;
    this.#arrivals.releaseAll();
  }
}
