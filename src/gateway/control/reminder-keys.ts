import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { toSortedJson } from '../../foundation/json-text.js';
import { OncePerKey } from '../../foundation/once-per-key.js';

/** Answers of so many characters are kept in all, the latest ones. Reminders themselves may have 4 Mi. */
const keptCharacters = 16 * 1024 * 1024;

/**
 * Reminders that may be added again under an `Idempotency-Key`. Answers are kept in memory, as reminders are: both are lost when the
 * gateway stops, and adding them anew is then right (docs/decisions.md#idempotency-keys).
 */
export class ReminderKeys {
  readonly #kept = new LRUCache<string, { digest: string; answer: string }>({
    maxSize: keptCharacters,
    sizeCalculation: ({ answer }, key) => answer.length + key.length + 64,
  });
  readonly #underWay = new OncePerKey<object>();

  /**
   * @param body what is asked for.
   * @param create adds the reminders; an answer with a `refusal` is not kept.
   * @returns null when the key was used before with another body.
   */
  async once<Answer extends object>(
    key: string | null,
    body: unknown,
    create: () => Promise<Answer>,
  ): Promise<{ answer: Answer; replayed: boolean } | null> {
    if (key === null) return { answer: await create(), replayed: false };
    const digest = createHash('sha256').update(toSortedJson(body)).digest('hex');
    const known = this.#kept.get(key);
    if (known)
      return known.digest === digest ? { answer: JSON.parse(known.answer) as Answer, replayed: true } : null;
    const told = await this.#underWay.run(key, digest, async () => {
      const answer = await create();
      if (!('refusal' in answer)) this.#kept.set(key, { digest, answer: JSON.stringify(answer) });
      return answer;
    });
    return told && { answer: told.answer as Answer, replayed: told.shared && !('refusal' in told.answer) };
  }
}
