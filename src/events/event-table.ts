import type { Clock } from '../foundation/clock.js';
import { Waiters } from '../foundation/concurrency.js';
import type { Statement, Store, TableSchema } from '../storage/store.js';
import type { NewEvent } from './catalogue.js';

/** An event as it is stored. A state change and its event are one transaction (docs/decisions.md#one-transaction). */
export interface StoredEvent {
  seq: number;
  at_utc: string;
  /** A kind of the catalogue, unless another version of the program wrote the event. */
  kind: string;
  subject_id: string | null;
  data_json: string;
  /** The parsed `data_json`, where it is at hand: parsing it again costs more than using it. */
  data?: Readonly<Record<string, unknown>>;
}

/**
 * The table of events. Events are only ever added, so the next number is free; AUTOINCREMENT would write one more page at
 * each commit.
 */
export const eventSchema: TableSchema = {
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

/** The statements that read events: also for readers of a session that another program owns. */
export const eventSql = {
  after:
    'SELECT seq, at_utc, kind, subject_id, data_json FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  last: 'SELECT MAX(seq) AS seq FROM events WHERE seq <= ?',
} as const;

/** The `events` table. Append only inside a transaction of the caller. */
export class EventTable {
  readonly #insert: Statement<[string, string, string | null, string]>;
  readonly #after: Statement<[number, number, number], StoredEvent>;
  readonly #last: Statement<[number], { seq: number | null }>;
  #shown = Number.MAX_SAFE_INTEGER;

  constructor(store: Store) {
    this.#insert = store.prepare(
      'INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES (?, ?, ?, ?)',
    );
    this.#after = store.prepare(eventSql.after);
    this.#last = store.prepare(eventSql.last);
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
   * Hides the events after `seq`. Events that are committed but not on disk yet are not shown: a power loss could remove
   * them, other events would get their numbers, and a reader that had seen the removed ones would miss the others.
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

  /** Returns the number of the last event; 0 when there is none. */
  last(): number {
    return this.#last.get(this.#shown)?.seq ?? 0;
  }
}

const anything = 'anything';

/** The oldest events after a number; or the number of the last event, when the given number is beyond it. */
export type EventPage = { events: StoredEvent[] } | { last: number };

/** @param limit the largest number of events to return. */
export function pageAfter(table: EventTable, after: number, limit: number): EventPage {
  const events = table.readAfter(after, limit);
  if (events.length > 0) return { events };
  const last = table.last();
  return after > last ? { last } : { events };
}

/** Explains why there is no page after that number. */
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
   * @param limit the largest number of events to return.
   * @param waitSeconds how long to wait when there are none yet.
   * @param signal ends the wait early; the answer then has no events.
   * @returns the number of the last event, and no events, when `after` is beyond it: the caller followed another log, for
   *   instance the one from before the queue was moved aside. It would wait in vain, and miss the events up to that
   *   number.
   */
  async read(after: number, limit: number, waitSeconds: number, signal: AbortSignal): Promise<EventPage> {
    const deadline = this.#clock.monotonic() + waitSeconds * 1000;
    for (;;) {
      // Read again after each wait: the log may have been started again meanwhile.
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

  /** Whether no event comes any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Ends every wait; called when the gateway stops. */
  close(): void {
    this.#closed = true;
    this.#arrivals.releaseAll();
  }
}
