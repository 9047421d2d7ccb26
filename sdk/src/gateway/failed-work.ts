import { type End, endOfRequest, endOfTurn, noAnswer } from '../work/end-of-work.js';
import type { WorkErrors } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';

/**
 * Thrown when a prompt was queued, but its turn brought no answer: it failed, was interrupted or was cancelled. `errorCode` and
 * `detail` are those of `record.error`, or of `record.turn` if the request was completed before its turn ended, as it is for
 * agents in terminals; `status` is null, because no HTTP answer refused anything. The `errorCode` `unknown_state` means that a
 * newer gateway gave the request a state that this version does not know.
 */
export class PromptFailed extends GatewayError {
  override readonly name: string = 'PromptFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: End['errorCode'];
  /** The request at its end, with its turn. */
  readonly record: Schemas['RequestRecord'];

  constructor(record: Schemas['RequestRecord']) {
    const requestId = record.request_id;
    super({ status: null, operationId: 'submitRequest', requestId, what: noAnswer, ...endOfRequest(record) });
    this.record = record;
  }
}

/**
 * Thrown when a turn that was awaited by its id brought no answer: it failed, was interrupted or was replaced. `errorCode` and
 * `detail` are those of `turn.error`; `status` is null, because no HTTP answer refused anything. The `errorCode`
 * `unknown_state` means that a newer gateway gave the turn a state that this version does not know.
 */
export class TurnFailed extends GatewayError {
  override readonly name: string = 'TurnFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: End['errorCode'];
  /** The turn at its end. */
  readonly turn: Schemas['TurnRecord'];

  constructor(turn: Schemas['TurnRecord']) {
    const { turn_id: turnId, request_id: requestId } = turn;
    super({ status: null, operationId: 'getTurn', turnId, requestId, what: noAnswer, ...endOfTurn(turn) });
    this.turn = turn;
  }
}

/** The errors of a client of the gateway itself. */
export const gatewayErrors: WorkErrors = {
  server: 'gateway',
  // The cast adds only the names of the operations and codes.
  Failure: GatewayError as WorkErrors['Failure'],
  promptFailed: (record) => new PromptFailed(record),
  turnFailed: (turn) => new TurnFailed(turn),
  idOf: (operation) => operation,
};
