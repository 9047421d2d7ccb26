import type { CallLimits } from '../core/operation.js';
import { awaitAnswer, type WaitOptions } from '../work/await-answer.js';
import { followTurn, type TurnStreaming } from '../work/follow-turn.js';
import type { RequestLooks } from '../work/request-work.js';
import { unless } from '../work/stop-work.js';
import { turnWork } from '../work/turn-work.js';
import { named, type WorkErrors } from '../work/work-error.js';
import type { OperationMethods, Schemas } from './contract.js';

type TurnRecord = Schemas['TurnRecord'];

/** The limits and callbacks of the wait for the end of a turn. */
export type TurnAnswerOptions = WaitOptions<TurnRecord>;

/** A turn, by its id. Another program may have begun it, even long ago. */
export interface TurnHandle extends TurnStreaming {
  /** The id to keep: with it any program can continue, now or tomorrow, through `client.turn(turnId)`. */
  readonly turnId: string;
  /** Reads the present state of the turn. Its errors carry the `turnId`. */
  record(options?: CallLimits): Promise<TurnRecord>;
  /**
   * Waits for the turn to end and returns the agent's answer; an answer that already exists is returned at once.
   *
   * Rejects with {@link TurnFailed} when it brought no answer, and with a {@link GatewayError} that carries the `turnId` when
   * the gateway does not know it, or a limit ended the waiting.
   */
  answer(options?: TurnAnswerOptions): Promise<string>;
  /**
   * Interrupts this turn and no other; does nothing when it has ended. Resolves when that is done; `record` and `answer` then
   * show how it ended.
   *
   * Rejects with {@link PromptFailed} of the interrupt when the running turn could not be stopped, and with a
   * {@link GatewayError} that carries the `turnId`.
   */
  interrupt(options?: CallLimits): Promise<void>;
}

/** The calls that a handle makes. */
export type TurnMethods = Pick<OperationMethods, 'submitRequest' | 'streamTurn'> & RequestLooks;

/** The seconds after which an interrupt that works has shown its effect. */
const interruptSeconds = 20;

/** Interrupts a turn. @returns false when the turn does not run. @throws PromptFailed when it could not be stopped. */
export async function interruptTurn(
  methods: TurnMethods,
  errors: WorkErrors,
  turnId: string,
  limits: CallLimits,
): Promise<boolean> {
  const accepted = await methods
    .submitRequest({
      body: { kind: 'interrupt', payload: {} },
      headers: { 'X-Houmao-If-Turn': turnId },
      ...limits,
    })
    .catch(unless(412));
  if (!accepted) return false;
  const path = { request_id: accepted.request_id };
  const record = await methods.getRequest({ path, query: { wait_seconds: interruptSeconds }, ...limits });
  if (record.error) throw errors.promptFailed(record);
  return true;
}

/** @param isKnown whether the gateway has just reported that the turn has begun. */
export function turnHandle(
  methods: TurnMethods,
  errors: WorkErrors,
  turnId: string,
  isKnown: boolean,
): TurnHandle {
  const path = { turn_id: turnId };
  const withId = named(errors, { turnId });
  return {
    turnId,
    record: (limits = {}) => methods.getTurn({ path, ...limits }).catch(withId),
    interrupt: async (limits = {}) =>
      void (await interruptTurn(methods, errors, turnId, limits).catch(withId)),
    stream: (options = {}) =>
      followTurn(errors, methods.streamTurn, { turnId, requestId: null, queue: null }, options),
    answer: async (options = {}) => {
      const turn = { turnId, requestId: null, isKnown, queue: null };
      const work = turnWork(errors, errors.idOf('getTurn'), methods.getTurn, turn, options);
      return awaitAnswer(errors, options, work);
    },
  };
}
