/**
 * The reason why a gateway gave no usable answer. Only after `unreachable` is it certain that the gateway did not execute
 * the call.
 */
export type GatewayTrouble =
  /** It took no connection, so it got nothing. */
  | 'unreachable'
  /** It got the call and gave no answer in time. */
  | 'silent'
  /** The connection ended before the answer did. */
  | 'lost'
  /** Its answer is not JSON, or too long. */
  | 'invalid_answer'
  /** The call was ended from this side. */
  | 'aborted';

export class GatewayFault extends Error {
  override readonly name = 'GatewayFault';
  readonly trouble: GatewayTrouble;

  constructor(trouble: GatewayTrouble) {
    super(`The gateway gave no usable answer: ${trouble}.`);
    this.trouble = trouble;
  }

  /** Whether the outcome of the call is unknown: the gateway may have executed it without saying so. */
  get outcomeUnknown(): boolean {
    return this.trouble !== 'unreachable';
  }
}
