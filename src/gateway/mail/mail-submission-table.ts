import type { Schema, Statement, Store } from '../../storage/store.js';

/** What a key stands for, and the message that came of it, or is to come. */
export interface MailSubmission {
  operation: string;
  body_digest: string;
  message_id: string;
  /** Milliseconds since 1970. */
  at: number;
}

export const mailSubmissionSchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS mail_submission (
  key TEXT PRIMARY KEY,
  operation TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
`,
};

/** The `mail_submission` table: an Idempotency-Key and its message (docs/decisions.md#idempotency-keys-of-mail). */
export class MailSubmissionTable {
  readonly #find: Statement<[string], MailSubmission>;
  readonly #insert: Statement<[string, string, string, string, number]>;
  readonly #forget: Statement<[number, number]>;

  constructor(store: Store) {
    this.#find = store.prepare(
      'SELECT operation, body_digest, message_id, at FROM mail_submission WHERE key = ?',
    );
    this.#insert = store.prepare(
      'INSERT INTO mail_submission (key, operation, body_digest, message_id, at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#forget = store.prepare(
      'DELETE FROM mail_submission WHERE key IN (SELECT key FROM mail_submission WHERE at < ? LIMIT ?)',
    );
  }

  find(key: string): MailSubmission | null {
    return this.#find.get(key) ?? null;
  }
  insert(key: string, { operation, body_digest, message_id, at }: MailSubmission): void {
    this.#insert.run(key, operation, body_digest, message_id, at);
  }
  /** @returns how many were forgotten, `most` at most. @param before milliseconds since 1970. */
  forget(before: number, most: number): number {
    return this.#forget.run(before, most).changes;
  }
}
