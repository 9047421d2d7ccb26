import type { Schema, Statement, Store } from '../../storage/store.js';

/** What a key stands for, and the turn that was begun for it. */
export interface ControlKey {
  body_digest: string;
  turn_id: string;
  /** What the prompt was answered, as JSON; null until then, and for good where the gateway died before it. */
  answer_json: string | null;
}

export const controlKeySchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS control_keys (
  key TEXT PRIMARY KEY,
  body_digest TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  answer_json TEXT
) WITHOUT ROWID;
`,
};

/** The `control_keys` table: an Idempotency-Key and the turn of its direct prompt (docs/decisions.md#idempotency-keys). */
export class ControlKeyTable {
  readonly #find: Statement<[string], ControlKey>;
  readonly #insert: Statement<[string, string, string]>;
  readonly #answer: Statement<[string, string]>;

  constructor(store: Store) {
    this.#find = store.prepare('SELECT body_digest, turn_id, answer_json FROM control_keys WHERE key = ?');
    this.#insert = store.prepare('INSERT INTO control_keys (key, body_digest, turn_id) VALUES (?, ?, ?)');
    this.#answer = store.prepare('UPDATE control_keys SET answer_json = ? WHERE key = ?');
  }

  find(key: string): ControlKey | null {
    return this.#find.get(key) ?? null;
  }
  insert(key: string, { body_digest, turn_id }: Omit<ControlKey, 'answer_json'>): void {
    this.#insert.run(key, body_digest, turn_id);
  }
  answer(key: string, answerJson: string): void {
    this.#answer.run(answerJson, key);
  }
}
