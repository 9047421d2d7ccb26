import { redact } from '../foundation/text.js';
import { recordOf } from '../tools/adapter/json-value.js';
import { namedModel } from '../tools/adapter/row-facts.js';
import type { CanonicalDraft, ToolAdapter } from '../tools/adapter/tool-adapter.js';
import { answerOf, type TurnSigns, turnUsageOf } from './running-turn.js';

/**
 * The number of bytes of stderr that are read. It exceeds the number that is kept, so that no half of a secret is left at the
 * front.
 */
export const tailBytes = 8192;
const keptTail = 4096;

/** Collects the events of a turn that its verdict and its record need. Memory does not grow with the turn. */
export class TurnReading {
  readonly #adapter: ToolAdapter;
  readonly #secrets: readonly string[] | null;
  #answer: { text: string; truncated: boolean } | null = null;
  #completion: TurnSigns['completion'] = null;
  #lastError: string | null = null;
  #sessionId: string | null = null;
  #model: string | null = null;
  #usage: { reported: Record<string, unknown> | null; ofConversation: boolean } | null = null;
  #oversizedRows = 0;

  /**
   * @param secrets values that no error may repeat (docs/decisions.md#secrets); null if they are unknown: then no error repeats
   * text of the agent.
   */
  constructor(adapter: ToolAdapter, secrets: readonly string[] | null) {
    this.#adapter = adapter;
    this.#secrets = secrets;
  }

  /** @returns the evidence in this event that the agent took the prompt; null if there is none. */
  take(event: CanonicalDraft & { session_id: string | null }): string | null {
    this.#sessionId ??= event.session_id;
    this.#model ??= namedModel(event);
    // A result that belongs to no turn does not replace the end of a turn.
    if (event.data.of_no_turn === true && this.#completion !== null) return null;
    if (event.kind === 'completion') {
      const ofConversation = event.data.usage_scope === 'conversation';
      this.#usage = { reported: recordOf(event.data.usage), ofConversation };
      this.#completion = { successful: event.data.status === 'success', message: event.message };
      if (!this.#completion.successful) this.#lastError = event.message;
    }
    if (event.kind === 'diagnostic' && event.data.severity === 'error') this.#lastError = event.message;
    this.#addToAnswer(event);
    return this.#adapter.promptTaken(event);
  }

  oversizedRow(): void {
    this.#oversizedRows += 1;
  }

  /** @param end with its `stderrTail` unredacted. */
  signs(
    end: Pick<TurnSigns, 'startFault' | 'exitCode' | 'signal' | 'supervisorLost' | 'stderrTail'>,
  ): TurnSigns {
    const successful = this.#completion?.successful === true;
    const safe = (text: string): string => (this.#secrets === null ? '' : redact(text, this.#secrets));
    const lastError = this.#lastError === null ? null : safe(this.#lastError);
    const stderrTail = safe(end.stderrTail).slice(-keptTail);
    return {
      ...end,
      stderrTail,
      completion: this.#completion && {
        ...this.#completion,
        message: safe(this.#completion.message),
      },
      lastError,
      sessionLost:
        !successful && this.#adapter.sessionLost({ lastError, stderrTail, exitCode: end.exitCode }),
      oversizedRows: this.#oversizedRows,
      endedAt: null,
      reportedOutcome: null,
      outcomeUnknown: null,
      notTaken: false,
      stranded: false,
      sessionId: this.#sessionId,
      answer: this.#answer,
      usage: turnUsageOf(
        this.#model,
        this.#usage?.reported ?? null,
        this.#usage?.ofConversation ? 'conversation' : 'turn',
      ),
    };
  }

  #addToAnswer(event: CanonicalDraft): void {
    const part = this.#adapter.answerPart(event);
    if (!part) return;
    const before = part.mode === 'append' && this.#answer ? this.#answer : { text: '', truncated: false };
    if (before.truncated) return;
    const text = before.text + part.text;
    this.#answer = answerOf(text);
  }
}
