import type { Database, Statement } from 'better-sqlite3';

/** Something that happened, as it is stored: a state change and its event are one transaction (additions.md §5). */
export interface StoredEvent {
  seq: number;
  at_utc: string;
  kind: string;
  subject_id: string | null;
  data_json: string;
}

/** What a caller appends; `data` holds the fields of the event in `events.jsonl`, without `kind`. */
export interface NewEvent {
  kind: string;
  subjectId: string | null;
  data: Record<string, unknown>;
}

/** The `events` table. Appending only makes sense inside a transaction of the caller. */
export class EventTable {
  readonly #insert: Statement<[string, string, string | null, string]>;
  readonly #after: Statement<[number, number], StoredEvent>;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES (?, ?, ?, ?)',
    );
    this.#after = database.prepare(
      'SELECT seq, at_utc, kind, subject_id, data_json FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
    );
  }

  append(atUtc: string, event: NewEvent): StoredEvent {
    const data_json = JSON.stringify(event.data);
    const { lastInsertRowid } = this.#insert.run(atUtc, event.kind, event.subjectId, data_json);
    return {
      seq: Number(lastInsertRowid),
      at_utc: atUtc,
      kind: event.kind,
      subject_id: event.subjectId,
      data_json,
    };
  }

  readAfter(seq: number, limit: number): StoredEvent[] {
    return this.#after.all(seq, limit);
  }
}
