import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { OperationId, Schemas } from './contract.js';

/**
 * Why a call failed, as a word to branch on:
 *
 * - the `error_code` of a refused `controlPrompt`, for example `not_ready`;
 * - `validation_failed`: the request breaks the contract, see {@link GatewayError.items};
 * - `http_<status>`: any other refusal, for example `http_404`;
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `invalid_answer`: something answered that does not speak the contract;
 * - `unknown_state`: a request is in a state that this version does not know.
 *
 * A {@link PromptFailed} carries the gateway's own word for what went wrong, and newer gateways may know more words.
 */
export type GatewayErrorCode =
  | Schemas['PromptRefusal']['error_code']
  | 'validation_failed'
  | 'timeout'
  | 'aborted'
  | 'connection_failed'
  | 'invalid_answer'
  | 'unknown_state'
  | `http_${number}`
  | (string & Record<never, never>);

export type GatewayErrorFields = WorkErrorFields<OperationId, GatewayErrorCode>;

/**
 * Every failure of a call: a refusal by the gateway, or no usable answer.
 *
 * @example
 * ```ts
 * try {
 *   await client.cancelRequest({ path: { request_id } });
 * } catch (error) {
 *   if (!isGatewayError(error) || error.status !== 409) throw error;
 *   console.log(error.detail); // it runs already
 * }
 * ```
 */
export class GatewayError extends WorkError<OperationId, GatewayErrorCode> {
  override readonly name: string = 'GatewayError';
  /**
   * The queued request that the failed call waited for; null when there is none, or its id did not arrive. Go on
   * waiting with `client.request(requestId).answer()`.
   */
  declare readonly requestId: string | null;
  /**
   * Set when a submission may have been queued, or a message delivered, and its answer was lost: submit the same once more
   * with this key (`idempotencyKey` of `prompt`, the header `Idempotency-Key` of `submitRequest`, `sendMail`, `postMail` and
   * `replyMail`), and it is queued or delivered once at most. Set, too, for a message that was delivered ({@link done}).
   */
  declare readonly idempotencyKey: string | null;
}

/** Narrows what was caught to a {@link GatewayError}. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError;
}
