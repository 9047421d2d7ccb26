import type { Statement, Store } from '../storage/store.js';

/** One turn runs at a time, so one row is enough. */
export const goingOnTables = `
CREATE TABLE IF NOT EXISTS turn_going_on (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  turn_id TEXT NOT NULL
);
`;

/** The table `turn_going_on`: the turn that goes on without its owner, so that the next one adopts it and does not end it. */
export class GoingOnTable {
  readonly #note: Statement<[string]>;
  readonly #find: Statement<[], { turn_id: string }>;

  constructor(store: Store) {
    this.#note = store.prepare('INSERT OR REPLACE INTO turn_going_on (singleton, turn_id) VALUES (1, ?)');
    this.#find = store.prepare('SELECT turn_id FROM turn_going_on');
  }

  note(turnId: string): void {
    this.#note.run(turnId);
  }
  /** A turn that has ended stays noted until another one is. */
  has(turnId: string): boolean {
    return this.#find.get()?.turn_id === turnId;
  }
}
