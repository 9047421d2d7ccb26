import type { CallLimits } from '../core/operation.js';
import { awaitAnswer, type WaitOptions } from '../work/await-answer.js';
import {
  followTurn,
  type StreamOptions,
  type StreamTurn,
  type TurnStreaming,
  turnOf,
} from '../work/follow-turn.js';
import { type RequestLooks, requestWork, type WatchedRequest } from '../work/request-work.js';
import { done, stopWork, unless } from '../work/stop-work.js';
import { named, type WorkErrors } from '../work/work-error.js';
import type { OperationMethods, Schemas } from './contract.js';
import { interruptTurn } from './turn-handle.js';

/** The limits and callbacks of the wait for the end of a request and of its turn. */
export type AnswerOptions = WaitOptions<Schemas['RequestRecord']>;

/** A queued request, by its id. Another program may have submitted it, even long ago. */
export interface RequestHandle extends TurnStreaming {
  /** The id to keep: with it any program can continue, now or tomorrow, through `client.request(requestId)`. */
  readonly requestId: string;
  /** Reads the present state of the request. Its errors carry the `requestId`. */
  record(options?: CallLimits): Promise<Schemas['RequestRecord']>;
  /**
   * Waits for the request and its turn to end, and returns the agent's answer as `prompt` does; an answer that already exists
   * is returned at once.
   *
   * Rejects with {@link PromptFailed} when its turn brought no answer, and with a {@link GatewayError} that carries the
   * `requestId` when the gateway does not know it, or a limit ended the waiting.
   */
  answer(options?: AnswerOptions): Promise<string>;
  /**
   * Takes the request back while it waits in the queue, and returns its record: `cancelled`, or as it had ended before.
   *
   * Rejects with a {@link GatewayError} that carries the `requestId`, with status 409 when its turn has begun.
   */
  cancel(options?: CallLimits): Promise<Schemas['RequestRecord']>;
  /**
   * Stops this request and no other: takes it back while it waits, interrupts its turn while that runs, and does nothing when
   * it has ended. Resolves when that is done; `record` and `answer` then show how it ended.
   *
   * Rejects with {@link PromptFailed} of the interrupt when the running turn could not be stopped, and with a
   * {@link GatewayError} that carries the `requestId`.
   */
  interrupt(options?: CallLimits): Promise<void>;
}

/** The calls that a handle makes. */
export type RequestMethods = RequestLooks &
  Pick<OperationMethods, 'cancelRequest' | 'submitRequest' | 'streamTurn'>;

export function requestHandle(
  methods: RequestMethods,
  errors: WorkErrors,
  request: WatchedRequest,
): RequestHandle {
  const { requestId } = request;
  const path = { request_id: requestId };
  const withId = named(errors, { requestId });
  return {
    requestId,
    record: (limits = {}) => methods.getRequest({ path, ...limits }).catch(withId),
    answer: async (options = {}) =>
      awaitAnswer(errors, options, requestWork(errors, methods, request, options)),
    stream: (options = {}) => streamRequest(methods, errors, requestId, options),
    cancel: (limits = {}) => methods.cancelRequest({ path, ...limits }).catch(withId),
    interrupt: (limits = {}) =>
      stopWork(
        async () => {
          const { turn } = await methods.getRequest({ path, ...limits });
          return turn?.state === 'running' && interruptTurn(methods, errors, turn.turn_id, limits);
        },
        () => methods.cancelRequest({ path, ...limits }).then(done, unless(409)),
      ).catch(withId),
  };
}

async function* streamRequest(
  methods: RequestMethods,
  errors: WorkErrors,
  requestId: string,
  options: StreamOptions,
): ReturnType<StreamTurn> {
  const turnId = await turnOf(methods, errors, requestId, options);
  if (turnId !== null)
    yield* followTurn(errors, methods.streamTurn, { turnId, requestId, queue: null }, options);
}
