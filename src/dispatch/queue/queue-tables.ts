import { idempotencySchema } from '../../storage/idempotency-keys.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';
import { metadataSchema } from '../../turn/prompt-metadata.js';
import { turnSchema } from '../../turn/turn-schema.js';
import { usageSchema } from '../../turn/usage-days.js';
import { requestSchema } from './request-table.js';

const queueControlSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS queue_control (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
);
`,
};

/** Reads whether the queue is paused; no row stands for a queue that never was. */
export const pausedSql = 'SELECT paused FROM queue_control WHERE singleton = 1';

/** The singleton `queue_control` table: the settings of operators, kept across restarts. */
export class QueueControlTable {
  readonly #get: Statement<[], { paused: number }>;
  readonly #put: Statement<[number]>;

  constructor(store: Store) {
    this.#get = store.prepare(pausedSql);
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

/** The tables for the requests and turns of a session in its `queue.sqlite`; every owner of its turns opens them. */
export const rowSchemas: readonly TableSchema[] = [
  requestSchema,
  idempotencySchema,
  turnSchema,
  usageSchema,
  metadataSchema,
  queueControlSchema,
];
