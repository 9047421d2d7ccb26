import type { Statement, Store, TableSchema } from '../../storage/store.js';
import { turnSchema } from '../../turn/turn-schema.js';
import { requestSchema } from './request-table.js';

const queueControlSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS queue_control (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
);
`,
};

/** The singleton `queue_control` table: the settings of operators, kept across restarts. */
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

export interface StoredRequestSubmission {
  body_digest: string;
  request_id: string;
  response_json: string;
}

const idempotencySchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY,
  body_digest TEXT NOT NULL,
  request_id TEXT NOT NULL,
  response_json TEXT NOT NULL
) WITHOUT ROWID;
`,
  indexes: `
CREATE INDEX IF NOT EXISTS idempotency_by_request ON idempotency (request_id);
`,
};

/** The `idempotency` table: a key, the body it came with, and the 202 it got (docs/decisions.md#idempotency-keys). */
export class IdempotencyTable {
  readonly #find: Statement<[string], StoredRequestSubmission>;
  readonly #insert: Statement<[string, string, string, string]>;
  readonly #forget: Statement<[string]>;

  constructor(store: Store) {
    this.#find = store.prepare(
      'SELECT body_digest, request_id, response_json FROM idempotency WHERE key = ?',
    );
    this.#insert = store.prepare(
      'INSERT INTO idempotency (key, body_digest, request_id, response_json) VALUES (?, ?, ?, ?)',
    );
    this.#forget = store.prepare('DELETE FROM idempotency WHERE request_id = ?');
  }

  find(key: string): StoredRequestSubmission | null {
    return this.#find.get(key) ?? null;
  }
  insert(key: string, submission: StoredRequestSubmission): void {
    this.#insert.run(key, submission.body_digest, submission.request_id, submission.response_json);
  }
  forget(requestId: string): void {
    this.#forget.run(requestId);
  }
}

/** The tables for the requests and turns of a session in its `queue.sqlite`; every owner of its turns opens them. */
export const rowSchemas: readonly TableSchema[] = [
  requestSchema,
  idempotencySchema,
  turnSchema,
  queueControlSchema,
];
