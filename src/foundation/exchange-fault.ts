/**
 * The reason why a program gave no usable answer to an HTTP call. Only after `unreachable` is it certain that it did not
 * execute the call.
 */
export type ExchangeTrouble =
  /** It took no connection, so it got nothing. */
  | 'unreachable'
  /** It got the call and gave no answer in time. */
  | 'silent'
  /** The connection ended before the answer did. */
  | 'lost'
  /** Its answer does not follow HTTP, or its contract, or is too long. */
  | 'invalid_answer'
  /** The call was ended from this side. */
  | 'aborted';

export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault';
  readonly trouble: ExchangeTrouble;
  /** The code of the system or of TLS for it, such as `ECONNREFUSED`, or the name of a parser's error; null for none. */
  readonly code: string | null;

  constructor(trouble: ExchangeTrouble, code: string | null = null) {
    super(`The call got no usable answer: ${trouble}.`);
    this.trouble = trouble;
    this.code = code;
  }

  /** Whether the outcome of the call is unknown: it may have been executed without an answer. */
  get outcomeUnknown(): boolean {
    return this.trouble !== 'unreachable';
  }
}
