import { type End, endOfTurn } from '../work/end-of-turn.js';
import { noAnswer } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';

/**
 * Thrown when a turn that was awaited by its id brought no answer: it failed, was interrupted or was replaced. `errorCode` and
 * `detail` are those of `turn.error`; `status` is null, because no HTTP answer refused anything. The `errorCode`
 * `unknown_state` means that a newer gateway gave the turn a state that this version does not know.
 */
export class TurnFailed extends GatewayError {
  override readonly name: string = 'TurnFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: End<Schemas['RecordErrorCode']>['errorCode'];
  /** The turn at its end. */
  readonly turn: Schemas['TurnRecord'];

  constructor(turn: Schemas['TurnRecord']) {
    const { turn_id: turnId, request_id: requestId } = turn;
    super({ status: null, operationId: 'getTurn', turnId, requestId, what: noAnswer, ...endOfTurn(turn) });
    this.turn = turn;
  }
}
