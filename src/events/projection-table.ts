import type { Database, Statement } from 'better-sqlite3';

/** How far a projection had come when it was last noted: the event, and the length of its file. */
export interface Checkpoint {
  seq: number;
  bytes: number;
}

/** The `projections` table. */
export class ProjectionTable {
  readonly #get: Statement<[string], Checkpoint>;
  readonly #put: Statement<[string, number, number]>;

  constructor(database: Database) {
    this.#get = database.prepare('SELECT seq, bytes FROM projections WHERE name = ?');
    this.#put = database.prepare(
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
