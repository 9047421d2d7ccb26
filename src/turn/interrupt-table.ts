import type { Statement, Store } from '../storage/store.js';

/** One turn runs at a time, so one row is enough. */
export const interruptTables = `
CREATE TABLE IF NOT EXISTS turn_interrupt (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  turn_id TEXT NOT NULL,
  requested_at_utc TEXT NOT NULL
);
`;

/** The table `turn_interrupt`: when somebody asked for the end of the turn that runs, also when another owner follows it. */
export class InterruptTable {
  readonly #note: Statement<[string, string]>;

  constructor(store: Store) {
    this.#note = store.prepare(
      'INSERT OR REPLACE INTO turn_interrupt (singleton, turn_id, requested_at_utc) VALUES (1, ?, ?)',
    );
  }

  note(turnId: string, requestedAtUtc: string): void {
    this.#note.run(turnId, requestedAtUtc);
  }
}
