import type { CallLimits } from '../core/operation.js';
import { done, stopWork, unless } from '../work/stop-work.js';
import { amended } from '../work/work-error.js';
import type { AgentMethod, Schemas } from './contract.js';
import { isHoumaoError } from './houmao-error.js';
import { awaitAnswer, type Looks, type TurnAnswerOptions } from './turn-answer.js';

/** A turn of an agent, by its id. Another program may have begun it, even long ago. */
export interface TurnHandle {
  /** The id to keep: with it any program can continue, now or tomorrow, through `agent.turn(turnId)`. */
  readonly turnId: string;
  /**
   * The request in the queue of the agent's gateway that begins the turn; null when there is none, or it was not given to
   * `agent.turn`.
   */
  readonly requestId: string | null;
  /**
   * Reads the present state of the turn; 404 while its prompt waits in the queue of the agent's gateway. Its errors carry
   * `turnId` and `requestId`.
   */
  record(options?: CallLimits): Promise<Schemas['TurnRecord']>;
  /**
   * Waits for the turn to end and returns the agent's answer as `prompt` does; an answer that already exists is returned at
   * once.
   *
   * Rejects with {@link TurnFailed} when the turn brought no answer, and with a {@link HoumaoError} that carries the `turnId`
   * when the server does not know it, or a limit ended the waiting.
   */
  answer(options?: TurnAnswerOptions): Promise<string>;
  /**
   * Stops this turn and no other: interrupts it while it runs, takes its prompt back while that waits in the queue of the
   * agent's gateway, and does nothing when it has ended. Resolves when the interrupt is accepted; `record` and `answer` then
   * show how the turn ended.
   *
   * Rejects with a {@link HoumaoError} that carries the `turnId`.
   */
  interrupt(options?: CallLimits): Promise<void>;
}

/** The calls that a handle makes. */
export interface TurnMethods extends Looks {
  readonly submitAgentRequest: AgentMethod<'submitAgentRequest'>;
  readonly cancelGatewayRequest: AgentMethod<'cancelGatewayRequest'>;
}

export interface TurnIds {
  readonly turnId: string;
  readonly requestId: string | null;
}

/** @param isTaken whether the server has just reported that it accepted the prompt. */
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
