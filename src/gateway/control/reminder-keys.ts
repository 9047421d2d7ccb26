import { LRUCache } from 'lru-cache';
import type { Clock } from '../../foundation/clock.js';
import { OncePerKey } from '../../foundation/concurrency.js';
import { bodyDigest, checkKey, type IdempotencyKeys } from '../../storage/idempotency-keys.js';

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
  readonly #stored: IdempotencyKeys;
  readonly #clock: Clock;

  constructor(stored: IdempotencyKeys, clock: Clock) {
    this.#stored = stored;
    this.#clock = clock;
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
    const digest = bodyDigest(asked);
    const known = checkKey(this.#kept.get(key) ?? this.#stored.find(key), digest);
    if (known === 'another_call') return null;
    if (known !== 'new') return { answer: JSON.parse(known.answer ?? 'null') as Answer, replayed: true };
    const joined = await this.#underWay.run(key, digest, async () => {
      const answer = await create((added) => {
        if (!asked.kept) return;
        const at = this.#clock.now().getTime();
        this.#stored.insert(key, { digest, subject: '', answer: JSON.stringify(added), at });
        this.#stored.forgetBeyond(keptCharacters);
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
