import type { CallErrorCode } from '../core/operation.js';
import type { LaterWord } from '../generated/gateway/types/client.js';
import type { EndCode } from '../work/end-of-work.js';
import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { ErrorCode, OperationId, Schemas } from './contract.js';

/**
 * The reason why a call failed, as a code to branch on; a code that never occurs does not compile:
 *
 * - the code of a refusal, for example `unknown_request`; {@link ErrorCode} has those of each operation;
 * - `validation_failed`: the request breaks the contract, see {@link GatewayError.items};
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `middleware_failed`: a hook of yours threw, see `cause`;
 * - `foreign_server`: the server at that address is not a gateway; the detail names it if it is known;
 * - `invalid_answer`: the answer does not follow the contract;
 * - `http_<status>`: a refusal without a code, by an older gateway or by a server in between;
 * - `unknown_state`: a request is in a state that this version does not know;
 * - of a {@link PromptFailed}: the end of the request, for example `turn_time_limit` or `cancelled`.
 *
 * A newer gateway may send codes that this version does not know: a `switch` needs its `default`.
 */
export type GatewayErrorCode = ErrorCode | CallErrorCode | Schemas['RecordErrorCode'] | EndCode;

export type GatewayErrorFields = WorkErrorFields<OperationId, GatewayErrorCode>;

/**
 * A failed call: a refusal by the gateway, or no usable answer.
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
   * The queued request that the failed call waited for; null when there is none, or its id did not arrive. Continue waiting
   * with `client.request(requestId).answer()`.
   */
  declare readonly requestId: string | null;
  /**
   * Set when a submission may have been queued, or a message delivered, and its answer was lost: repeat the same call with this
   * key (`idempotencyKey` of `prompt`, the header `Idempotency-Key` of `submitRequest`, `controlPrompt`, `createReminders`,
   * `sendMail`, `postMail` and `replyMail`), and it is done at most once. Also set for a message that was delivered
   * ({@link done}).
   */
  declare readonly idempotencyKey: string | null;
}

/**
 * Narrows a caught error to a {@link GatewayError}.
 * @param operationId accepts only errors of this operation; `errorCode` then has its codes.
 */
export function isGatewayError<Id extends OperationId = never>(
  error: unknown,
  operationId?: Id,
): error is [Id] extends [never] ? GatewayError : ErrorOf<Id> {
  return error instanceof GatewayError && (operationId === undefined || error.operationId === operationId);
}

type ErrorOf<Id extends OperationId> = GatewayError & {
  readonly operationId: Id;
  readonly errorCode: ErrorCode<Id> | CallErrorCode | LaterWord;
};
