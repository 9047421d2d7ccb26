import type { Schema, Statement, Store } from '../../storage/store.js';

/** What a key stands for, and what it was answered, as JSON. */
export interface ReminderKey {
  digest: string;
  answer: string;
}

export const reminderKeySchema: Schema = {
  tables: `
CREATE TABLE IF NOT EXISTS reminder_keys (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  answer TEXT NOT NULL
);
`,
};

/** The table `reminder_keys`: an Idempotency-Key of kept reminders (docs/decisions.md#idempotency-keys), the latest ones. */
export class ReminderKeyTable {
  readonly #find: Statement<[string], ReminderKey>;
  readonly #insert: Statement<[string, string, string]>;
  readonly #sweep: Statement<[number]>;

  constructor(store: Store) {
    this.#find = store.prepare('SELECT digest, answer FROM reminder_keys WHERE key = ?');
    this.#insert = store.prepare('INSERT INTO reminder_keys (key, digest, answer) VALUES (?, ?, ?)');
    this.#sweep = store.prepare(`DELETE FROM reminder_keys WHERE number IN (
      SELECT number FROM (SELECT number, sum(length(answer) + 512) OVER (ORDER BY number DESC) AS size FROM reminder_keys)
      WHERE size > ?)`);
  }

  find(key: string): ReminderKey | null {
    return this.#find.get(key) ?? null;
  }

  /** Only inside `Journal.write`. @param most how many characters all answers may have; the oldest ones beyond that are forgotten. */
  insert(key: string, { digest, answer }: ReminderKey, most: number): void {
    this.#insert.run(key, digest, answer);
    this.#sweep.run(most);
  }
}
