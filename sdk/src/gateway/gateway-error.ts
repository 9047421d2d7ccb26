import type { CallErrorCode } from '../core/operation.js';
import type { EndCode } from '../work/end-code.js';
import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { ErrorCode, OperationId, Schemas } from './contract.js';

/**
 * Why a call failed, as a word to branch on; a word that never occurs does not compile:
 *
 * - the code of a refusal, for example `unknown_request`; which an operation has, {@link ErrorCode} says;
 * - `validation_failed`: the request breaks the contract, see {@link GatewayError.items};
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `middleware_failed`: a hook of yours threw, see `cause`;
 * - `foreign_server`: who answers there is not a gateway; the detail names it where it can;
 * - `invalid_answer`: something answered that does not speak the contract;
 * - `http_<status>`: a refusal without a code, by an older gateway or by what stands between;
 * - `unknown_state`: a request is in a state that this version does not know;
 * - of a {@link PromptFailed}: what became of the request, for example `turn_time_limit` or `cancelled`.
 *
 * A newer gateway may send words that this version does not know.
 */
export type GatewayErrorCode = ErrorCode | CallErrorCode | Schemas['RecordErrorCode'] | EndCode;

export type GatewayErrorFields = WorkErrorFields<OperationId, GatewayErrorCode>;

/**
 * Every failure of a call: a refusal by the gateway, or no usable answer.
 *
 * @example
 * ```ts
 * try {
 *   await client.cancelRequest({ path: { request_id } });
 * } catch (error) {
 *   if (!isGatewayError(error, 'cancelRequest') || error.errorCode !== 'request_not_waiting') throw error;
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
   * with this key (`idempotencyKey` of `prompt`, the header `Idempotency-Key` of `submitRequest`, `controlPrompt`,
   * `createReminders`, `sendMail`, `postMail` and `replyMail`), and it is done once at most. Set, too, for a message that was delivered ({@link done}).
   */
  declare readonly idempotencyKey: string | null;
}

/**
 * Narrows what was caught to a {@link GatewayError}.
 * @param operationId only errors of this operation, whose codes `errorCode` then has.
 */
export function isGatewayError<Id extends OperationId = never>(
  error: unknown,
  operationId?: Id,
): error is [Id] extends [never] ? GatewayError : ErrorOf<Id> {
  return error instanceof GatewayError && (operationId === undefined || error.operationId === operationId);
}

type ErrorOf<Id extends OperationId> = GatewayError & {
  readonly operationId: Id;
  readonly errorCode: ErrorCode<Id> | CallErrorCode;
};
