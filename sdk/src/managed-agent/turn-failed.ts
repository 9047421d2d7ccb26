import { isRequestEnd } from '../work/end-of-request.js';
import { type End, endOfTurn } from '../work/end-of-turn.js';
import { unknownState } from '../work/unknown-state.js';
import { noAnswer } from '../work/work-error.js';
import type { Schemas } from './contract.js';
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
  declare readonly errorCode: End<Schemas['RecordErrorCode']>['errorCode'];
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

function endOfRequest({
  state,
  request_id,
  error,
}: Schemas['RequestRecord']): End<Schemas['RecordErrorCode']> {
  if (!isRequestEnd(state) || state === 'completed') return unknownState('Request', request_id, state);
  return {
    errorCode: error?.code ?? state,
    detail: error?.detail ?? `Request ${request_id} ended as ${state}.`,
  };
}
