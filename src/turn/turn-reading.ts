import { redact } from '../foundation/redact.js';
import type { CanonicalDraft } from '../tools/canonical-event.js';
import type { ToolAdapter } from '../tools/tool-adapter.js';
import type { TurnSigns } from './turn-signs.js';

/** The most of an answer that is kept beside the artifacts (additions.md §2). */
const maxAnswerLength = 1024 * 1024;

/** Of stderr; more is read than kept, so that a secret cut at the front is not left there in half. */
export const tailBytes = 8192;
const keptTail = 4096;

/** Gathers from the events of a turn what its verdict and its record need. Memory does not grow with the turn. */
export class TurnReading {
  readonly #adapter: ToolAdapter;
  readonly #secrets: readonly string[];
  #answer: { text: string; truncated: boolean } | null = null;
  #completion: TurnSigns['completion'] = null;
  #lastError: string | null = null;
  #sessionId: string | null = null;
  #oversizedRows = 0;

  /** @param secrets values that no error may repeat (decision 35). */
  constructor(adapter: ToolAdapter, secrets: readonly string[]) {
    this.#adapter = adapter;
    this.#secrets = secrets;
  }

  /** @returns what in this event shows for the first time that the agent took the prompt or named its conversation. */
  take(event: CanonicalDraft & { session_id: string | null }): {
    confirmed: string | null;
    sessionId: string | null;
  } {
    const sessionId = this.#sessionId === null ? event.session_id : null;
    this.#sessionId ??= event.session_id;
    if (event.kind === 'completion') {
      this.#completion = { successful: event.data.status === 'success', message: event.message };
      if (!this.#completion.successful) this.#lastError = event.message;
    }
    if (event.kind === 'diagnostic' && event.data.severity === 'error') this.#lastError = event.message;
    this.#addToAnswer(event);
    return { confirmed: this.#adapter.promptTaken(event), sessionId };
  }

  oversizedRow(): void {
    this.#oversizedRows += 1;
  }

  /** @param end its `stderrTail` as it was written. */
  signs(
    end: Pick<TurnSigns, 'startFault' | 'exitCode' | 'signal' | 'supervisorLost' | 'stderrTail'>,
  ): TurnSigns {
    const successful = this.#completion?.successful === true;
    const lastError = this.#lastError === null ? null : redact(this.#lastError, this.#secrets);
    const stderrTail = redact(end.stderrTail, this.#secrets).slice(-keptTail);
    return {
      ...end,
      stderrTail,
      completion: this.#completion && {
        ...this.#completion,
        message: redact(this.#completion.message, this.#secrets),
      },
      lastError,
      sessionLost:
        !successful && this.#adapter.sessionLost({ lastError, stderrTail, exitCode: end.exitCode }),
      oversizedRows: this.#oversizedRows,
      told: null,
      deliveryUnknown: null,
      sessionId: this.#sessionId,
      answer: this.#answer,
    };
  }

  #addToAnswer(event: CanonicalDraft): void {
    const part = this.#adapter.answerPart(event);
    if (!part) return;
    const before = part.mode === 'append' && this.#answer ? this.#answer : { text: '', truncated: false };
    if (before.truncated) return;
    const text = before.text + part.text;
    this.#answer = { text: text.slice(0, maxAnswerLength), truncated: text.length > maxAnswerLength };
  }
}
