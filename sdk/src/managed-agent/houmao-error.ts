import type { Schemas as GatewaySchemas } from '../gateway/contract.js';
import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { OperationId } from './contract.js';

/**
 * Why a call failed, as a word to branch on:
 *
 * - the `error_code` of a refused `controlGatewayPrompt`, for example `not_ready`;
 * - `validation_failed`: the request breaks the contract, see {@link HoumaoError.items};
 * - `http_<status>`: any other refusal, for example `http_404`;
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `invalid_answer`: something answered that does not speak the contract;
 * - `unknown_state`: a turn or a request is in a state that this version does not know.
 *
 * A {@link TurnFailed} carries the server's own word for what went wrong, and newer servers may know more words.
 */
export type HoumaoErrorCode =
  | GatewaySchemas['PromptRefusal']['error_code']
  | 'validation_failed'
  | 'timeout'
  | 'aborted'
  | 'connection_failed'
  | 'invalid_answer'
  | 'unknown_state'
  | `http_${number}`
  | (string & Record<never, never>);

export type HoumaoErrorFields = WorkErrorFields<OperationId, HoumaoErrorCode>;

/**
 * Every failure of a call: a refusal by the server or by the gateway that it asked, or no usable answer.
 *
 * @example
 * ```ts
 * try {
 *   await client.agent('alpha').createTurn({ body: { prompt: 'Fix the test.' } });
 * } catch (error) {
 *   if (!isHoumaoError(error) || error.status !== 409) throw error;
 *   console.log(error.detail); // it works on another turn
 * }
 * ```
 */
export class HoumaoError extends WorkError<OperationId, HoumaoErrorCode> {
  override readonly name: string = 'HoumaoError';
  /**
   * The turn that the failed call waited for; null when there is none, or its id did not arrive. Go on waiting with
   * `client.agent(ref).turn(turnId).answer()`.
   */
  declare readonly turnId: string | null;
}

/** Narrows what was caught to a {@link HoumaoError}. */
export function isHoumaoError(error: unknown): error is HoumaoError {
  return error instanceof HoumaoError;
}
