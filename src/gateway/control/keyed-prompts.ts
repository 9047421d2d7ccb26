import { type PromptMetadata, withMetadata } from '../../contract/prompt-metadata.js';
import {
  type DirectPrompt,
  type DirectPrompts,
  type DirectRefusal,
  type DirectTurn,
  outcomeUnknownDetail,
  receiptOf,
} from '../../dispatch/direct-prompt.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { OncePerKey } from '../../foundation/concurrency.js';
import { newTurnId } from '../../foundation/ids.js';
import { bodyDigest, type IdempotencyKeys, type KeyedCall } from '../../storage/idempotency-keys.js';
import type { TurnTable } from '../../turn/turn-table.js';

/** The interval and the duration of the checks of a prompt that is being handed over: a terminal shows the outcome sooner. */
const pollMilliseconds = 50;
const patienceMilliseconds = 10_000;

export interface KeyedPromptsParts {
  journal: Pick<Journal, 'write'>;
  prompts: Pick<DirectPrompts, 'send'>;
  /** The keys of direct prompts, each with its turn. */
  keys: IdempotencyKeys;
  turns: Pick<TurnTable, 'find' | 'metadata'>;
  /** Whether prompts are typed into a terminal. */
  typed: boolean;
  clock: Clock;
  /** Called with the error that kept an answer from being stored; the answer is given nevertheless. */
  notStored: (error: unknown) => void;
}

/** `unknown`: it is unknown whether the agent has the prompt. */
export type ControlRefusal = DirectRefusal & { outcomeUnknown?: boolean };

export type ControlAnswer =
  | { turnId: string; replayed: boolean }
  | ControlRefusal
  /** The key was used before with another body. */
  | { otherBody: true };

/**
 * Direct prompts that may be repeated under an `Idempotency-Key` (docs/decisions.md#idempotency-keys). The key is written
 * in the transaction that claims the turn, the answer once it is known; a prompt that was refused before its turn uses up
 * no key.
 */
export class KeyedPrompts {
  readonly #parts: KeyedPromptsParts;
  readonly #underWay = new OncePerKey<ControlAnswer>();

  constructor(parts: KeyedPromptsParts) {
    this.#parts = parts;
  }

  /** @param metadata the labels of the prompt, stored in the transaction that claims the turn. */
  async send(
    prompt: DirectPrompt,
    key: string | null,
    metadata: PromptMetadata | null = null,
  ): Promise<ControlAnswer> {
    const answer = await this.#send(prompt, key, metadata);
    if (!('code' in answer) || answer.begunAs === undefined) return answer;
    return { ...answer, outcomeUnknown: this.#parts.turns.find(answer.begunAs)?.delivery_state !== 'failed' };
  }

  async #send(
    prompt: DirectPrompt,
    key: string | null,
    metadata: PromptMetadata | null,
  ): Promise<ControlAnswer> {
    const { prompts, turns } = this.#parts;
    const turnId = newTurnId();
    const turn = { turnId, claimed: () => turns.metadata.insert(turnId, metadata) };
    if (key === null) return asNew(await prompts.send(prompt, turn));
    const digest = bodyDigest(withMetadata(prompt, metadata));
    const joined = await this.#underWay.run(key, digest, () => this.#once(prompt, turn, key, digest));
    if (joined === null) return { otherBody: true };
    return joined.shared && 'turnId' in joined.answer ? { ...joined.answer, replayed: true } : joined.answer;
  }

  async #once(prompt: DirectPrompt, turn: DirectTurn, key: string, digest: string): Promise<ControlAnswer> {
    const { journal, keys, prompts, clock, notStored } = this.#parts;
    const known = keys.check(key, digest);
    if (known === 'another_call') return { otherBody: true };
    if (known !== 'new') return this.#earlier(known);
    const { turnId } = turn;
    let begun = false;
    const claimed = (atUtc: string): void => {
      turn.claimed(atUtc);
      keys.insert(key, { digest, subject: turnId, answer: null, at: clock.now().getTime() });
      begun = true;
    };
    const sent = await prompts.send(prompt, { turnId, claimed });
    if (begun) await journal.write(() => keys.answer(key, JSON.stringify(sent))).catch(notStored);
    return asNew(sent);
  }

  /**
   * Answers the repetition of an earlier prompt. A gateway that was killed left the turn to this one, which may still be
   * finding out its outcome.
   */
  async #earlier({ subject: turnId, answer }: KeyedCall): Promise<ControlAnswer> {
    const { turns, typed, clock } = this.#parts;
    if (answer !== null) {
      const kept = JSON.parse(answer) as { turnId: string } | DirectRefusal;
      return 'turnId' in kept ? { ...kept, replayed: true } : kept;
    }
    const deadline = clock.monotonic() + patienceMilliseconds;
    for (;;) {
      const turn = turns.find(turnId);
      const found = turn && receiptOf(turn, typed);
      if (found?.kind === 'taken') return { turnId, replayed: true };
      if (found?.kind === 'not_taken' || found?.kind === 'unknown')
        return { code: 'dispatch_failed', detail: found.detail, begunAs: turnId };
      if (found === null || clock.monotonic() >= deadline) return promptOutcomeUnknown(turnId);
      await clock.sleep(pollMilliseconds);
    }
  }
}

const asNew = (sent: { turnId: string } | DirectRefusal): ControlAnswer =>
  'turnId' in sent ? { ...sent, replayed: false } : sent;

const promptOutcomeUnknown = (turnId: string): DirectRefusal => ({
  code: 'unavailable',
  detail: outcomeUnknownDetail(turnId),
  begunAs: turnId,
});
