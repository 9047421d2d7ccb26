import type { CallLimits } from '../core/operation.js';
import { type AwaitedWork, awaitAnswer } from '../work/await-answer.js';
import { followTurn, type TurnStreaming } from '../work/follow-turn.js';
import { done, stopWork, unless } from '../work/stop-work.js';
import { type QueuedTurnOptions, type TurnQueue, turnWork } from '../work/turn-work.js';
import { watchedWaitSeconds } from '../work/waiting.js';
import { named } from '../work/work-error.js';
import type { AgentMethod, Schemas } from './contract.js';
import { serverErrors, TurnFailed } from './failed-work.js';
import type { AgentGatewayMethods } from './gateway-operations.js';

/** The limits and callbacks of the wait for the end of a turn. */
export type TurnAnswerOptions = QueuedTurnOptions;

/** A turn of an agent, by its id. Another program may have begun it, even long ago. */
export interface TurnHandle extends TurnStreaming {
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
export interface TurnMethods {
  readonly getTurnRecord: AgentMethod<'getTurnRecord'>;
  readonly streamTurn: AgentMethod<'streamTurn'>;
  readonly submitAgentRequest: AgentMethod<'submitAgentRequest'>;
  readonly gateway: Pick<AgentGatewayMethods, 'getRequest' | 'cancelRequest'>;
}

export interface TurnIds {
  readonly turnId: string;
  readonly requestId: string | null;
}

/** @param isTaken whether the server has just reported that it accepted the prompt. */
export function turnHandle(methods: TurnMethods, ids: TurnIds, isTaken: boolean): TurnHandle {
  const { turnId, requestId } = ids;
  const { gateway } = methods;
  const withIds = named(serverErrors, requestId === null ? { turnId } : ids);
  return {
    turnId,
    requestId,
    record: (limits = {}) => methods.getTurnRecord({ path: { turn_id: turnId }, ...limits }).catch(withIds),
    interrupt: (limits = {}) =>
      stopWork(
        () =>
          methods
            .submitAgentRequest({
              body: { request_kind: 'interrupt' },
              headers: { 'X-Houmao-If-Turn': turnId },
              ...limits,
            })
            .then(done, unless(412)),
        async () =>
          requestId === null ||
          gateway.cancelRequest({ path: { request_id: requestId }, ...limits }).then(done, unless(409)),
      ).catch(withIds),
    stream: (options = {}) =>
      followTurn(serverErrors, methods.streamTurn, { ...ids, queue: queueOf(gateway, turnId) }, options),
    answer: async (options = {}) =>
      awaitAnswer(serverErrors, options, agentTurnWork(methods, ids, isTaken, options)),
  };
}

/** Waits for a turn of an agent. @param isTaken whether the server has reported that it accepted the prompt. */
export function agentTurnWork(
  { getTurnRecord, gateway }: TurnMethods,
  { turnId, requestId }: TurnIds,
  isTaken: boolean,
  options: TurnAnswerOptions,
): AwaitedWork {
  const turn = { turnId, requestId, isKnown: isTaken, queue: queueOf(gateway, turnId) };
  return turnWork(serverErrors, 'getTurnRecord', getTurnRecord, turn, options);
}

/** Every other state is an end without a turn, including those of newer gateways. */
const mayRun: readonly string[] = ['accepted', 'running', 'completed'];

const queueOf = ({ getRequest }: TurnMethods['gateway'], turnId: string): TurnQueue => ({
  look: async (requestId, waitSeconds, signal) => {
    // The wait is short, because a request of an agent in a terminal only ends when its turn has long begun.
    const query = { wait_seconds: Math.min(waitSeconds, watchedWaitSeconds) };
    return getRequest({ path: { request_id: requestId }, query, signal, maxRetries: 0 });
  },
  check: (request) => {
    if (!mayRun.includes(request.state)) throw new TurnFailed({ turn: null, request });
  },
  becomes: (requestId, isSilent) =>
    `The prompt was queued as request ${requestId}, to run as turn ${turnId}${isSilent ? '; its state now is not known' : ''}.`,
});
