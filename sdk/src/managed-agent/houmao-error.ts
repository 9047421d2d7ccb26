import type { CallErrorCode } from '../core/operation.js';
import type { Schemas as GatewaySchemas } from '../gateway/contract.js';
import type { EndCode } from '../work/end-code.js';
import { WorkError, type WorkErrorFields } from '../work/work-error.js';
import type { ErrorCode, OperationId } from './contract.js';

/**
 * Why a call failed, as a word to branch on; a word that never occurs does not compile:
 *
 * - the code of a refusal, for example `unknown_agent`; which an operation has, {@link ErrorCode} says;
 * - `validation_failed`: the request breaks the contract, see {@link HoumaoError.items};
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `middleware_failed`: a hook of yours threw, see `cause`;
 * - `foreign_server`: who answers there is not a managed-agent server; the detail names it where it can;
 * - `invalid_answer`: something answered that does not speak the contract;
 * - `http_<status>`: a refusal without a code, by an older server or by what stands between;
 * - `unknown_state`: a turn or a request is in a state that this version does not know;
 * - of a {@link TurnFailed}: what became of the turn, for example `turn_time_limit` or `interrupted`.
 *
 * A newer server may send words that this version does not know.
 */
export type HoumaoErrorCode = ErrorCode | CallErrorCode | GatewaySchemas['RecordErrorCode'] | EndCode;

export type HoumaoErrorFields = WorkErrorFields<OperationId, HoumaoErrorCode>;

/**
 * Every failure of a call: a refusal by the server or by the gateway that it asked, or no usable answer.
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
   * The turn that the failed call waited for; null when there is none, or its id did not arrive. Go on waiting with
   * `client.agent(ref).turn(turnId).answer()`. Of a prompt that may have been taken (`mayBeDone`), the turn that it has then.
   */
  declare readonly turnId: string | null;
}

/**
 * Narrows what was caught to a {@link HoumaoError}.
 * @param operationId only errors of this operation, whose codes `errorCode` then has.
 */
export function isHoumaoError<Id extends OperationId = never>(
  error: unknown,
  operationId?: Id,
): error is [Id] extends [never] ? HoumaoError : ErrorOf<Id> {
  return error instanceof HoumaoError && (operationId === undefined || error.operationId === operationId);
}

type ErrorOf<Id extends OperationId> = HoumaoError & {
  readonly operationId: Id;
  readonly errorCode: ErrorCode<Id> | CallErrorCode;
};
