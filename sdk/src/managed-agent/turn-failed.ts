import type { Schemas } from './contract.js';
import { HoumaoError } from './houmao-error.js';

/** How a prompt ended without an answer: as its turn did, or in the queue of the gateway. */
export type FailedPrompt =
  | { turn: Schemas['TurnRecord']; request: null }
  | { turn: null; request: Schemas['RequestRecord'] };

/**
 * The prompt was taken, but brought no answer: its turn failed, was interrupted or replaced, or it was taken out of the
 * gateway's queue before it ran. `errorCode` and `detail` are those of the turn's or the request's `error`; `status` is
 * null, because no HTTP answer refused anything.
 */
export class TurnFailed extends HoumaoError {
  override readonly name: string = 'TurnFailed';
  /** The turn as it ended; null when it never began. */
  readonly turn: Schemas['TurnRecord'] | null;
  /** The request in the gateway's queue, where it ended there; null otherwise. */
  readonly request: Schemas['RequestRecord'] | null;

  constructor({ turn, request }: FailedPrompt) {
    const [subject, end] = turn
      ? [`Turn ${turn.turn_id}`, turn.outcome ?? turn.state]
      : [`Request ${request.request_id}`, request.state];
    const reason = turn ? turn.error : request.error;
    super({
      status: null,
      operationId: 'submitAgentRequest',
      turnId: turn?.turn_id ?? null,
      requestId: turn ? turn.request_id : request.request_id,
      errorCode: reason?.code ?? end,
      detail: reason?.detail ?? `${subject} ended as ${end}.`,
    });
    this.turn = turn;
    this.request = request;
  }
}
