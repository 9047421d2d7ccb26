import { createHash } from 'node:crypto';
import type { DirectPrompt, DirectPrompts, DirectRefusal } from '../../dispatch/direct-prompt.js';
import { notKnownYet } from '../../dispatch/not-known-yet.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { newTurnId } from '../../foundation/ids.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { OncePerKey } from '../../foundation/once-per-key.js';
import type { TurnTable } from '../../turn/turn-table.js';
import type { ControlKey, ControlKeyTable } from './control-key-table.js';
import { earlierPrompt } from './earlier-prompt.js';

/** A prompt that is being handed over is looked at this often, and for so long: a terminal shows sooner what became of it. */
const lookMilliseconds = 50;
const patienceMilliseconds = 10_000;

export interface KeyedPromptsParts {
  journal: Pick<Journal, 'write'>;
  prompts: Pick<DirectPrompts, 'send'>;
  keys: ControlKeyTable;
  turns: Pick<TurnTable, 'find'>;
  /** Whether prompts are typed into a terminal. */
  typed: boolean;
  clock: Clock;
  /** Takes what kept an answer from being stored: it is given all the same. */
  notStored: (error: unknown) => void;
}

/** `unknown`: the agent may have the prompt all the same. */
export type ControlRefusal = DirectRefusal & { unknown?: boolean };

export type ControlAnswer =
  | { turnId: string; replayed: boolean }
  | ControlRefusal
  /** The key was used before with another body. */
  | { otherBody: true };

/**
 * Direct prompts that may come again under an `Idempotency-Key` (docs/decisions.md#idempotency-keys). The key is on disk in the
 * transaction that claims the turn, its answer when that is known; a prompt that was refused before its turn uses up no key.
 */
export class KeyedPrompts {
  readonly #parts: KeyedPromptsParts;
  readonly #underWay = new OncePerKey<ControlAnswer>();

  constructor(parts: KeyedPromptsParts) {
    this.#parts = parts;
  }

  async send(prompt: DirectPrompt, key: string | null): Promise<ControlAnswer> {
    const answer = await this.#send(prompt, key);
    if (!('code' in answer) || answer.begunAs === undefined) return answer;
    return { ...answer, unknown: this.#parts.turns.find(answer.begunAs)?.delivery_state !== 'failed' };
  }

  async #send(prompt: DirectPrompt, key: string | null): Promise<ControlAnswer> {
    if (key === null) return asNew(await this.#parts.prompts.send(prompt));
    const digest = createHash('sha256').update(toSortedJson(prompt)).digest('hex');
    const told = await this.#underWay.run(key, digest, () => this.#once(prompt, key, digest));
    if (told === null) return { otherBody: true };
    return told.shared && 'turnId' in told.answer ? { ...told.answer, replayed: true } : told.answer;
  }

  async #once(prompt: DirectPrompt, key: string, digest: string): Promise<ControlAnswer> {
    const { journal, keys, prompts, notStored } = this.#parts;
    const known = keys.find(key);
    if (known) return known.body_digest === digest ? this.#earlier(known) : { otherBody: true };
    const turnId = newTurnId();
    let begun = false;
    const claimed = (): void => {
      keys.insert(key, { body_digest: digest, turn_id: turnId });
      begun = true;
    };
    const sent = await prompts.send(prompt, { turnId, claimed });
    if (begun) await journal.write(() => keys.answer(key, JSON.stringify(sent))).catch(notStored);
    return asNew(sent);
  }

  /** A gateway that was killed left its turn to this one, which may still be finding out what became of it. */
  async #earlier({ turn_id: turnId, answer_json }: ControlKey): Promise<ControlAnswer> {
    const { turns, typed, clock } = this.#parts;
    if (answer_json !== null) {
      const told = JSON.parse(answer_json) as { turnId: string } | DirectRefusal;
      return 'turnId' in told ? { ...told, replayed: true } : told;
    }
    const deadline = clock.monotonic() + patienceMilliseconds;
    for (;;) {
      const turn = turns.find(turnId);
      const told = turn && earlierPrompt(turn, typed);
      if (told?.kind === 'dispatched') return { turnId, replayed: true };
      if (told?.kind === 'failed') return { code: 'dispatch_failed', detail: told.detail, begunAs: turnId };
      if (told === null || clock.monotonic() >= deadline) return notKnown(turnId);
      await clock.sleep(lookMilliseconds);
    }
  }
}

const asNew = (sent: { turnId: string } | DirectRefusal): ControlAnswer =>
  'turnId' in sent ? { ...sent, replayed: false } : sent;

const notKnown = (turnId: string): DirectRefusal => ({
  code: 'unavailable',
  detail: notKnownYet(turnId),
  begunAs: turnId,
});
