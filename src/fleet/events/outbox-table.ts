import type { Statement, Store, TableSchema } from '../../storage/store.js';

/** The events of this host that the fleet gets, in their order, and how far they were published. */
export const outboxSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS fleet_outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  item_json TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS fleet_place (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  read_up_to TEXT NOT NULL,
  published INTEGER NOT NULL,
  stream_sequence INTEGER NOT NULL
);
`,
};

/** How far the events of this host came. */
export interface OutboxPlace {
  /** The place in the events of the host up to which they are in the outbox. */
  readonly readUpTo: string;
  /** The number of the last one that the stream has. */
  readonly published: number;
  /** Its sequence in the stream; 0 when this host has none there. */
  readonly streamSequence: number;
}

export class OutboxTable {
  readonly #place: Statement<[], { read_up_to: string; published: number; stream_sequence: number }>;
  readonly #putPlace: Statement<[string, number, number]>;
  readonly #insert: Statement<[string]>;
  readonly #after: Statement<[number, number], { number: number; item_json: string }>;
  readonly #last: Statement<[], { last: number | null }>;
  readonly #count: Statement<[number], { count: number }>;
  readonly #forget: Statement<[number]>;
  readonly #confirmed: Statement<[string], { at: string }>;

  constructor(store: Store) {
    this.#place = store.prepare('SELECT read_up_to, published, stream_sequence FROM fleet_place');
    this.#putPlace = store.prepare(
      `INSERT INTO fleet_place (singleton, read_up_to, published, stream_sequence) VALUES (1, ?, ?, ?)
       ON CONFLICT (singleton) DO UPDATE SET read_up_to = excluded.read_up_to, published = excluded.published,
         stream_sequence = excluded.stream_sequence`,
    );
    this.#insert = store.prepare('INSERT INTO fleet_outbox (item_json) VALUES (?)');
    this.#after = store.prepare(
      'SELECT number, item_json FROM fleet_outbox WHERE number > ? ORDER BY number LIMIT ?',
    );
    this.#last = store.prepare(`SELECT seq AS last FROM sqlite_sequence WHERE name = 'fleet_outbox'`);
    this.#count = store.prepare('SELECT COUNT(*) AS count FROM fleet_outbox WHERE number > ?');
    this.#forget = store.prepare('DELETE FROM fleet_outbox WHERE number <= ?');
    this.#confirmed = store.prepare(
      `SELECT json_extract(item_json, '$.event.data.at_utc') AS at FROM fleet_outbox
       WHERE json_extract(item_json, '$.event.kind') = 'turn_confirmed'
         AND json_extract(item_json, '$.event.data.request_id') = ? LIMIT 1`,
    );
  }

  place(): OutboxPlace | null {
    const row = this.#place.get();
    return row
      ? { readUpTo: row.read_up_to, published: row.published, streamSequence: row.stream_sequence }
      : null;
  }
  putPlace({ readUpTo, published, streamSequence }: OutboxPlace): void {
    this.#putPlace.run(readUpTo, published, streamSequence);
  }
  insert(item: unknown): void {
    this.#insert.run(JSON.stringify(item));
  }
  after(number: number, limit: number): { number: number; itemJson: string }[] {
    return this.#after.all(number, limit).map((row) => ({ number: row.number, itemJson: row.item_json }));
  }
  /** Returns the number of the last event that was ever put in; 0 for none. */
  last(): number {
    return this.#last.get()?.last ?? 0;
  }
  /** Counts the events behind a number. */
  countAfter(number: number): number {
    return this.#count.get(number)?.count ?? 0;
  }
  /** Returns when an agent had the prompt of a request, where an event here says so; null otherwise. */
  confirmedAt(requestId: string): string | null {
    return this.#confirmed.get(requestId)?.at ?? null;
  }
  forgetUpTo(number: number): void {
    this.#forget.run(number);
  }
}
