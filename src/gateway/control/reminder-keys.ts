import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { OncePerKey } from '../../foundation/concurrency.js';
import { toSortedJson } from '../../foundation/json-text.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';

/** The request that a key stands for, by its digest, and its answer as JSON. */
export interface ReminderKey {
  digest: string;
  answer: string;
}

export const reminderKeySchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS reminder_keys (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  answer TEXT NOT NULL
);
`,
};

/** The table `reminder_keys`: the latest Idempotency-Keys of kept reminders (docs/decisions.md#idempotency-keys). */
class ReminderKeyTable {
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

  /**
   * Only inside `Journal.write`.
   * @param most how many characters all answers together may have; the oldest answers beyond that are forgotten.
   */
  insert(key: string, { digest, answer }: ReminderKey, most: number): void {
    this.#insert.run(key, digest, answer);
    this.#sweep.run(most);
  }
}

/** The number of characters of answers that are kept in all, the latest first. Reminders themselves may have 4 Mi. */
const keptCharacters = 16 * 1024 * 1024;

/**
 * Reminders that may be added again under an `Idempotency-Key` (docs/decisions.md#idempotency-keys). An answer is kept
 * where its reminders are: in the database or in memory. Memory loses both when the gateway stops; a repetition then
 * rightly adds the reminders again.
 */
export class ReminderKeys {
  readonly #kept = new LRUCache<string, { digest: string; answer: string }>({
    maxSize: keptCharacters,
    sizeCalculation: ({ answer }, key) => answer.length + key.length + 64,
  });
  readonly #underWay = new OncePerKey<object>();
  readonly #table: ReminderKeyTable;

  constructor(store: Store) {
    this.#table = new ReminderKeyTable(store);
  }

  /**
   * @param asked the requested reminders, and whether they are kept in the database.
   * @param create adds the reminders; an answer with a `refusal` is not kept. It passes the answer of kept reminders to
   *   `note`, in the transaction that adds them.
   * @returns null when the key was used before with another body.
   */
  async once<Answer extends object>(
    key: string | null,
    asked: { body: unknown; kept: boolean },
    create: (note: (answer: Answer) => void) => Promise<Answer>,
  ): Promise<{ answer: Answer; replayed: boolean } | null> {
    if (key === null) return { answer: await create(() => undefined), replayed: false };
    const digest = createHash('sha256').update(toSortedJson(asked)).digest('hex');
    const known = this.#kept.get(key) ?? this.#table.find(key);
    if (known)
      return known.digest === digest ? { answer: JSON.parse(known.answer) as Answer, replayed: true } : null;
    const joined = await this.#underWay.run(key, digest, async () => {
      const answer = await create((added) => {
        if (!asked.kept) return;
        this.#table.insert(key, { digest, answer: JSON.stringify(added) }, keptCharacters);
      });
      if (!asked.kept && !('refusal' in answer))
        this.#kept.set(key, { digest, answer: JSON.stringify(answer) });
      return answer;
    });
    return (
      joined && { answer: joined.answer as Answer, replayed: joined.shared && !('refusal' in joined.answer) }
    );
  }
}
