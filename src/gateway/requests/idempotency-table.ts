import type { Database, Statement } from 'better-sqlite3';

export interface StoredSubmission {
  body_digest: string;
  request_id: string;
  response_json: string;
}

/** The `idempotency` table: a key, the body it came with, and the 202 it got (additions.md §1). */
export class IdempotencyTable {
  readonly #find: Statement<[string], StoredSubmission>;
  readonly #insert: Statement<[string, string, string, string]>;
  readonly #forget: Statement<[string]>;

  constructor(database: Database) {
    this.#find = database.prepare(
      'SELECT body_digest, request_id, response_json FROM idempotency WHERE key = ?',
    );
    this.#insert = database.prepare(
      'INSERT INTO idempotency (key, body_digest, request_id, response_json) VALUES (?, ?, ?, ?)',
    );
    this.#forget = database.prepare('DELETE FROM idempotency WHERE request_id = ?');
  }

  find(key: string): StoredSubmission | null {
    return this.#find.get(key) ?? null;
  }
  insert(key: string, submission: StoredSubmission): void {
    this.#insert.run(key, submission.body_digest, submission.request_id, submission.response_json);
  }
  forget(requestId: string): void {
    this.#forget.run(requestId);
  }
}
