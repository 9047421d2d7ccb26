import type { Schema, Statement, Store } from '../../storage/store.js';

export const queueControlSchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS queue_control (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
);
`,
};

/** The singleton `queue_control` table: what operators have set, over restarts. */
export class QueueControlTable {
  readonly #get: Statement<[], { paused: number }>;
  readonly #put: Statement<[number]>;

  constructor(store: Store) {
    this.#get = store.prepare('SELECT paused FROM queue_control WHERE singleton = 1');
    this.#put = store.prepare(
      'INSERT INTO queue_control (singleton, paused) VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET paused = excluded.paused',
    );
  }

  readPaused(): boolean {
    return this.#get.get()?.paused === 1;
  }

  writePaused(paused: boolean): void {
    this.#put.run(paused ? 1 : 0);
  }
}
