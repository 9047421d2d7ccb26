import type { Database, Statement } from 'better-sqlite3';

/** The singleton `queue_control` table: what operators have set, over restarts. */
export class QueueControlTable {
  readonly #get: Statement<[], { paused: number }>;
  readonly #put: Statement<[number]>;

  constructor(database: Database) {
    this.#get = database.prepare('SELECT paused FROM queue_control WHERE singleton = 1');
    this.#put = database.prepare(
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
