import type { CallLimits } from '../core/operation.js';
import { done, stopWork, unless } from '../work/stop-work.js';
import { amended } from '../work/work-error.js';
import type { AgentMethod, Schemas } from './contract.js';
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
  /**
   * Stops this turn and no other one: interrupts it while it runs, takes its prompt back while that waits in the queue of the agent's
   * gateway, and does nothing when it is over. Resolves when it was told to stop; `record` and `answer` then say how it ended.
   *
   * Rejects with a {@link HoumaoError} that carries the `turnId`.
   */
  interrupt(options?: CallLimits): Promise<void>;
}

/** What is asked by a handle. */
export interface TurnMethods extends Looks {
  readonly submitAgentRequest: AgentMethod<'submitAgentRequest'>;
  readonly cancelGatewayRequest: AgentMethod<'cancelGatewayRequest'>;
}

export interface TurnIds {
  readonly turnId: string;
  readonly requestId: string | null;
}

/** @param isTaken whether the server has just said that it took the prompt. */
export function turnHandle(looks: TurnMethods, ids: TurnIds, isTaken: boolean): TurnHandle {
  const { turnId, requestId } = ids;
  const named = (error: unknown) => {
    throw isHoumaoError(error) ? amended(error, ids) : error;
  };
  return {
    turnId,
    requestId,
    record: (limits = {}) => looks.getTurnRecord({ path: { turn_id: turnId }, ...limits }).catch(named),
    interrupt: (limits = {}) =>
      stopWork(
        () =>
          looks
            .submitAgentRequest({
              body: { request_kind: 'interrupt' },
              headers: { 'X-Houmao-If-Turn': turnId },
              ...limits,
            })
            .then(done, unless(412)),
        async () =>
          requestId === null ||
          looks.cancelGatewayRequest({ path: { request_id: requestId }, ...limits }).then(done, unless(409)),
      ).catch(named),
    answer: async (options = {}) => {
      const queued = isTaken && requestId !== null;
      const sighting = { turnId, requestId, queued, seen: isTaken, silentSince: null };
      return awaitAnswer(looks, sighting, options);
    },
  };
}
