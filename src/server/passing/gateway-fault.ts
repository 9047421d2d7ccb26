/** Why a gateway gave no usable answer. Only after `unreachable` is it certain that it did not do what it was asked. */
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

  /** Whether the gateway may have done what it was asked, although it did not say so. */
  get mayHaveActed(): boolean {
    return this.trouble !== 'unreachable';
  }
}
