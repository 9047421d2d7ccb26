import type { EventTable, StoredEvent } from '../events/event-table.js';
import type { Clock } from '../foundation/clock.js';
import { Finals } from './requests/finals.js';

const anything = 'anything';

/** Reads the events of the queue, and waits for the next ones. */
export class EventFeed {
  readonly #events: EventTable;
  readonly #clock: Clock;
  readonly #arrivals = new Finals();
  #closed = false;

  constructor(events: EventTable, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  /**
   * @param waitSeconds how long to wait where there are none yet.
   * @param signal ends the wait early, with none.
   * @returns the oldest events behind `after`, at most `limit`.
   */
  async read(after: number, limit: number, waitSeconds: number, signal: AbortSignal): Promise<StoredEvent[]> {
    const deadline = this.#clock.monotonic() + waitSeconds * 1000;
    for (;;) {
      const events = this.#events.readAfter(after, limit);
      const left = deadline - this.#clock.monotonic();
      if (events.length > 0 || left <= 0 || signal.aborted || this.#closed) return events;
      await this.#arrivals.wait(anything, left, signal);
    }
  }

  /** Call it after each commit that brought events. */
  arrived(): void {
    this.#arrivals.reached(anything);
  }

  /** Lets every reader go, because the gateway goes down. */
  close(): void {
    this.#closed = true;
    this.#arrivals.releaseAll();
  }
}
