import { type End, endOfTurn } from '../work/end-of-turn.js';
import { noAnswer } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';

/**
 * A turn that was waited for by its id brought no answer: it failed, was interrupted or was replaced. `errorCode` and
 * `detail` are those of `turn.error`; `status` is null, because no HTTP answer refused anything. With the `errorCode`
 * `unknown_state` a newer gateway gave the turn a state of which this version cannot tell what it means.
 */
export class TurnFailed extends GatewayError {
  override readonly name: string = 'TurnFailed';
  /** How the work ended; no word of a refusal is among these. */
  declare readonly errorCode: End<Schemas['RecordErrorCode']>['errorCode'];
  /** The turn as it ended. */
  readonly turn: Schemas['TurnRecord'];

  constructor(turn: Schemas['TurnRecord']) {
    const { turn_id: turnId, request_id: requestId } = turn;
    super({ status: null, operationId: 'getTurn', turnId, requestId, what: noAnswer, ...endOfTurn(turn) });
    this.turn = turn;
  }
}
