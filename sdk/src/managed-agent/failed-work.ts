import { type End, endOfRequest, endOfTurn, noAnswer } from '../work/end-of-work.js';
import type { WorkErrors } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { operationAtServer } from './gateway-operations.js';
import { HoumaoError } from './houmao-error.js';

/** The end of a prompt without an answer: that of its turn, or that of its request in the queue of the gateway. */
export type FailedPrompt =
  | { turn: Schemas['TurnRecord']; request: null }
  | { turn: null; request: Schemas['RequestRecord'] };

/**
 * Thrown when a prompt was accepted, but brought no answer: its turn failed, was interrupted or replaced, or it was removed
 * from the gateway's queue before it ran. `errorCode` and `detail` are those of the turn's or the request's `error`; `status`
 * is null, because no HTTP answer refused anything. The `errorCode` `unknown_state` means that a newer server gave the turn or
 * the request a state that this version does not know.
 */
export class TurnFailed extends HoumaoError {
  override readonly name: string = 'TurnFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: End['errorCode'];
  /** The turn at its end; null when it never began. */
  readonly turn: Schemas['TurnRecord'] | null;
  /** The request in the gateway's queue, if it ended there; null otherwise. */
  readonly request: Schemas['RequestRecord'] | null;

  constructor({ turn, request }: FailedPrompt) {
    super({
      status: null,
      operationId: 'submitAgentRequest',
      what: noAnswer,
      turnId: turn?.turn_id ?? null,
      requestId: (turn ?? request).request_id,
      ...(turn ? endOfTurn(turn) : endOfRequest(request)),
    });
    this.turn = turn;
    this.request = request;
  }
}

/**
 * Thrown when a prompt was queued at the gateway of an agent (`agent.gateway.prompt` and `submit`), but its turn brought no
 * answer, as the `PromptFailed` of a gateway's own client.
 */
export class PromptFailed extends HoumaoError {
  override readonly name: string = 'PromptFailed';
  /** The way the work ended; never the code of a refusal. */
  declare readonly errorCode: End['errorCode'];
  /** The request at its end, with its turn. */
  readonly record: Schemas['RequestRecord'];

  constructor(record: Schemas['RequestRecord']) {
    const fields = { operationId: 'submitGatewayRequest', requestId: record.request_id } as const;
    super({ status: null, what: noAnswer, ...fields, ...endOfRequest(record) });
    this.record = record;
  }
}

/** The errors of everything that is asked of the server. */
export const serverErrors: WorkErrors = {
  server: 'server',
  // The cast adds only the names of the operations and codes.
  Failure: HoumaoError as WorkErrors['Failure'],
  promptFailed: (record) => new PromptFailed(record),
  turnFailed: (turn) => new TurnFailed({ turn, request: null }),
  idOf: operationAtServer,
};
