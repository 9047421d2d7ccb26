import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { toSortedJson } from '../../foundation/json-text.js';
import { OncePerKey } from '../../foundation/once-per-key.js';
import type { Store } from '../../storage/store.js';
import { ReminderKeyTable } from './reminder-key-table.js';

/** Answers of so many characters are kept in all, the latest ones. Reminders themselves may have 4 Mi. */
const keptCharacters = 16 * 1024 * 1024;

/**
 * Reminders that may be added again under an `Idempotency-Key`. Answers are kept where the reminders are: in memory, where both are lost
 * when the gateway stops, and adding them once more is then right, or in the database (docs/decisions.md#idempotency-keys).
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
   * @param asked what is asked for, and whether it is kept in the database.
   * @param create adds the reminders; an answer with a `refusal` is not kept. It hands the answer of kept ones to `note`, in the
   *   transaction that adds them.
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
    const told = await this.#underWay.run(key, digest, async () => {
      const answer = await create((added) => {
        if (!asked.kept) return;
        this.#table.insert(key, { digest, answer: JSON.stringify(added) }, keptCharacters);
      });
      if (!asked.kept && !('refusal' in answer))
        this.#kept.set(key, { digest, answer: JSON.stringify(answer) });
      return answer;
    });
    return told && { answer: told.answer as Answer, replayed: told.shared && !('refusal' in told.answer) };
  }
}
