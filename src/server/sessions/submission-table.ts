import type { Schema, Statement, Store } from '../../storage/store.js';

/** A prompt or an interrupt that came with a key, and what it was answered. */
export interface StoredSubmission {
  body_digest: string;
  turn_id: string;
  answer_json: string;
}

export const submissionSchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS turn_submissions (
  key TEXT PRIMARY KEY,
  body_digest TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  answer_json TEXT NOT NULL
) WITHOUT ROWID;
`,
};

/** The table `turn_submissions`: keys of what the server gave the agent itself (docs/decisions.md#idempotency-keys). */
export class SubmissionTable {
  readonly #insert: Statement<[string, string, string, string]>;

  constructor(store: Store) {
    this.#insert = store.prepare(
      'INSERT INTO turn_submissions (key, body_digest, turn_id, answer_json) VALUES (?, ?, ?, ?)',
    );
  }

  insert(key: string, { body_digest, turn_id, answer_json }: StoredSubmission): void {
    this.#insert.run(key, body_digest, turn_id, answer_json);
  }
}
