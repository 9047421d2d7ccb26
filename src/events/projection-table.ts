import type { Schema, Statement, Store } from '../storage/store.js';

/** How far a projection had come when its checkpoint was last written: the event, and the length of its file. */
export interface Checkpoint {
  seq: number;
  bytes: number;
}

export const projectionSchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS projections (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
`,
};

/** The `projections` table. */
export class ProjectionTable {
  readonly #get: Statement<[string], Checkpoint>;
  readonly #put: Statement<[string, number, number]>;

  constructor(store: Store) {
    this.#get = store.prepare('SELECT seq, bytes FROM projections WHERE name = ?');
    this.#put = store.prepare(
      'INSERT INTO projections (name, seq, bytes) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, bytes = excluded.bytes',
    );
  }

  checkpoint(name: string): Checkpoint {
    return this.#get.get(name) ?? { seq: 0, bytes: 0 };
  }

  note(name: string, checkpoint: Checkpoint): void {
    this.#put.run(name, checkpoint.seq, checkpoint.bytes);
  }
}
