import type { CallErrorCode } from '../core/operation.js';
import type { Schemas as GatewaySchemas } from '../gateway/contract.js';
import type { LaterWord } from '../generated/managed-agent/types/client.js';
import type { EndCode } from '../work/end-of-work.js';
import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { ErrorCode, OperationId } from './contract.js';

/**
 * The reason why a call failed, as a code to branch on; a code that never occurs does not compile:
 *
 * - the code of a refusal, for example `unknown_agent`; {@link ErrorCode} has those of each operation;
 * - `validation_failed`: the request breaks the contract, see {@link HoumaoError.items};
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `middleware_failed`: a hook of yours threw, see `cause`;
 * - `foreign_server`: the server at that address is not a managed-agent server; the detail names it if it is known;
 * - `invalid_answer`: the answer does not follow the contract;
 * - `http_<status>`: a refusal without a code, by an older server or by a server in between;
 * - `unknown_state`: a turn or a request is in a state that this version does not know;
 * - of a {@link TurnFailed}: the end of the turn, for example `turn_time_limit` or `interrupted`.
 *
 * A newer server may send codes that this version does not know: a `switch` needs its `default`.
 */
export type HoumaoErrorCode = ErrorCode | CallErrorCode | GatewaySchemas['RecordErrorCode'] | EndCode;

export type HoumaoErrorFields = WorkErrorFields<OperationId, HoumaoErrorCode>;

/**
 * A failed call: a refusal by the server or by the gateway to which it forwarded the call, or no usable answer.
 *
 * @example
 * ```ts
 * try {
 *   await client.agent('alpha').createTurn({ body: { prompt: 'Fix the test.' } });
 * } catch (error) {
 *   if (!isHoumaoError(error, 'createTurn') || error.errorCode !== 'agent_busy') throw error;
 *   console.log(error.detail); // it works on another turn
 * }
 * ```
 */
export class HoumaoError extends WorkError<OperationId, HoumaoErrorCode> {
  override readonly name: string = 'HoumaoError';
  /**
   * The turn that the failed call waited for; null when there is none, or its id did not arrive. Continue waiting with
   * `client.agent(ref).turn(turnId).answer()`. For a prompt whose outcome is unknown (`outcomeUnknown`), the turn that it has if it
   * was accepted.
   */
  declare readonly turnId: string | null;
}

/**
 * Narrows a caught error to a {@link HoumaoError}.
 * @param operationId accepts only errors of this operation; `errorCode` then has its codes.
 */
export function isHoumaoError<Id extends OperationId = never>(
  error: unknown,
  operationId?: Id,
): error is [Id] extends [never] ? HoumaoError : ErrorOf<Id> {
  return error instanceof HoumaoError && (operationId === undefined || error.operationId === operationId);
}

type ErrorOf<Id extends OperationId> = HoumaoError & {
  readonly operationId: Id;
  readonly errorCode: ErrorCode<Id> | CallErrorCode | LaterWord;
};
