import type { CallLimits } from '../core/operation.js';
import { amended } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { isHoumaoError } from './houmao-error.js';
import { awaitAnswer, type Looks, type TurnAnswerOptions } from './turn-answer.js';

/** A turn of an agent, by its id: it may have been begun by another program, or long ago. */
export interface TurnHandle {
  /** Keep it: with it any program goes on, now or tomorrow, by `agent.turn(turnId)`. */
  readonly turnId: string;
  /**
   * The request in the queue of the agent's gateway that begins the turn; null where there is none, or it was not given to
   * `agent.turn`.
   */
  readonly requestId: string | null;
  /**
   * Asks once how the turn stands; 404 while its prompt waits in the queue of the agent's gateway. What it throws carries
   * `turnId` and `requestId`.
   */
  record(options?: CallLimits): Promise<Schemas['TurnRecord']>;
  /**
   * Waits for the turn to end and returns the agent's answer as `prompt` does; an answer that is there already comes at
   * once.
   *
   * Rejects with {@link TurnFailed} when the turn brought no answer, and with a {@link HoumaoError} that carries the
   * `turnId` when the server does not know it, or the limits ended the waiting.
   */
  answer(options?: TurnAnswerOptions): Promise<string>;
}

export interface TurnIds {
  readonly turnId: string;
  readonly requestId: string | null;
}

/** @param isTaken whether the server has just said that it took the prompt. */
export function turnHandle(looks: Looks, ids: TurnIds, isTaken: boolean): TurnHandle {
  const { turnId, requestId } = ids;
  return {
    turnId,
    requestId,
    record: (limits = {}) =>
      looks.getTurnRecord({ path: { turn_id: turnId }, ...limits }).catch((error: unknown) => {
        throw isHoumaoError(error) ? amended(error, ids) : error;
      }),
    answer: async (options = {}) => {
      const queued = isTaken && requestId !== null;
      const sighting = { turnId, requestId, queued, seen: isTaken, silentSince: null };
      return awaitAnswer(looks, sighting, options);
    },
  };
}
