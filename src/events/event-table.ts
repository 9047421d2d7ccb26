import type { Clock } from '../foundation/clock.js';
import { Waiters } from '../foundation/concurrency.js';
import type { Schema, Statement, Store } from '../storage/store.js';
import type { NewEvent } from './catalogue.js';

/**
 * Something that happened, as it is stored: a state change and its event are one transaction
 * (docs/decisions.md#one-transaction).
 */
export interface StoredEvent {
  seq: number;
  at_utc: string;
  /** One of the catalogue, unless another version of the program wrote it. */
  kind: string;
  subject_id: string | null;
  data_json: string;
  /** What `data_json` says, where it is at hand: parsing it again costs more than using it. */
  data?: Readonly<Record<string, unknown>>;
}

/** Events are only ever added, so the next number is free; AUTOINCREMENT would write a page more at each commit. */
export const eventSchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY,
  at_utc TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject_id TEXT,
  data_json TEXT NOT NULL
);
`,
};

/** The `events` table. Appending only makes sense inside a transaction of the caller. */
export class EventTable {
  readonly #insert: Statement<[string, string, string | null, string]>;
  readonly #after: Statement<[number, number, number], StoredEvent>;
  readonly #last: Statement<[number], { seq: number | null }>;
  #shown = Number.MAX_SAFE_INTEGER;

  constructor(store: Store) {
    this.#insert = store.prepare(
      'INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES (?, ?, ?, ?)',
    );
    this.#after = store.prepare(
      'SELECT seq, at_utc, kind, subject_id, data_json FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
    );
    this.#last = store.prepare('SELECT MAX(seq) AS seq FROM events WHERE seq <= ?');
  }

  /** @param event its `data` holds the fields of the event in `events.jsonl`, without `kind`. */
  append(atUtc: string, event: NewEvent): StoredEvent {
    const data_json = JSON.stringify(event.data);
    const { lastInsertRowid } = this.#insert.run(atUtc, event.kind, event.subjectId, data_json);
    return {
      seq: Number(lastInsertRowid),
      at_utc: atUtc,
      kind: event.kind,
      subject_id: event.subjectId,
      data_json,
      data: event.data,
    };
  }

  /**
   * Hides later events. Those that are committed but not on disk yet are not shown: were they lost with the power, other
   * events would get their numbers, and a reader of these would miss those.
   */
  showUpTo(seq: number): void {
    this.#shown = seq;
  }
  showAll(): void {
    this.#shown = Number.MAX_SAFE_INTEGER;
  }

  readAfter(seq: number, limit: number): StoredEvent[] {
    return this.#after.all(seq, this.#shown, limit);
  }

  /** The number of the last event; 0 where there is none. */
  last(): number {
    return this.#last.get(this.#shown)?.seq ?? 0;
  }
}

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
