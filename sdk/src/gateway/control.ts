import type { CallLimits } from '../core/operation.js';
import type { WorkErrors } from '../work/work-error.js';
import type { OperationMethods, Schemas } from './contract.js';
import { type Labelled, promptHeaders } from './submit.js';
import { type TurnHandle, type TurnMethods, turnHandle } from './turn-handle.js';

/** The options of a direct prompt. The limits are those of its delivery, not of its turn. */
export interface ControlOptions extends Labelled, CallLimits {
  /** The conversation with the agent that it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt only. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /** Whether to end the running turn and go before the queue. Default: false, with which the prompt is refused in this case. */
  force?: boolean | undefined;
  /**
   * The `Idempotency-Key` of this prompt. When left out, a new one is made: with a key, a prompt whose answer was lost is sent
   * at most once.
   */
  idempotencyKey?: string | undefined;
}

/**
 * Sends a prompt to the agent at once, or is refused at once: it never waits in the queue. Returns a handle of the turn that
 * has begun.
 *
 * Rejects with {@link GatewayError}, whose `errorCode` is the gateway's code of the refusal (`not_ready`, …). When all answers
 * were lost, it carries the `idempotencyKey` for a repeat.
 *
 * @example
 * ```ts
 * const turn = await client.control('Stop, and say where you are.', { force: true });
 * console.log(turn.turnId, await turn.answer());
 * ```
 */
export type Control = (text: string, options?: ControlOptions) => Promise<TurnHandle>;

export function createControl(
  methods: TurnMethods & Pick<OperationMethods, 'controlPrompt'>,
  errors: WorkErrors,
): Control {
  return async (prompt, { chatSession, execution, force, idempotencyKey, metadata, ...limits } = {}) => {
    const body = {
      prompt,
      ...(chatSession === undefined ? {} : { chat_session: chatSession }),
      ...(execution === undefined ? {} : { execution }),
      ...(force === undefined ? {} : { force }),
    };
    const headers = promptHeaders({ idempotencyKey, metadata });
    const call = methods.controlPrompt({ body, ...headers, ...limits });
    const { response, httpRequestId } = await call.withResponse();
    const turnId = response.headers.get('X-Houmao-Turn-Id');
    if (turnId !== null) return turnHandle(methods, errors, turnId, true);
    throw new errors.Failure({
      status: response.status,
      operationId: errors.idOf('controlPrompt'),
      errorCode: 'invalid_answer',
      httpRequestId,
      detail: 'The gateway took the prompt and named no turn.',
    });
  };
}
