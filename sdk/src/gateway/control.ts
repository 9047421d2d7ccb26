import type { CallLimits } from '../core/operation.js';
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';
import { type TurnHandle, type TurnMethods, turnHandle } from './turn-handle.js';

/** What can be said about a direct prompt beside its text; the limits are those of handing it over, not of its turn. */
export interface ControlOptions extends CallLimits {
  /** Which conversation with the agent it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt alone. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /** Ends the turn that runs, and goes before what is queued. Default: false, which refuses the prompt then. */
  force?: boolean | undefined;
  /** The `Idempotency-Key` of this prompt. Left out, a new one: with it a prompt whose answer was lost is sent once at most. */
  idempotencyKey?: string | undefined;
}

/**
 * Hands a prompt to the agent at once, or is refused at once: it never waits in the queue. Returns a handle of the turn
 * that has begun.
 *
 * Rejects with {@link GatewayError}, whose `errorCode` is the gateway's word for the refusal (`not_ready`, …). Where all
 * answers were lost, it carries the `idempotencyKey` with which to ask again.
 *
 * @example
 * ```ts
 * const turn = await client.control('Stop, and say where you are.', { force: true });
 * console.log(turn.turnId, await turn.answer());
 * ```
 */
export type Control = (text: string, options?: ControlOptions) => Promise<TurnHandle>;

export function createControl(client: TurnMethods & Pick<OperationMethods, 'controlPrompt'>): Control {
  return async (prompt, { chatSession, execution, force, idempotencyKey, ...limits } = {}) => {
    const body = {
      prompt,
      ...(chatSession === undefined ? {} : { chat_session: chatSession }),
      ...(execution === undefined ? {} : { execution }),
      ...(force === undefined ? {} : { force }),
    };
    const headers = { 'Idempotency-Key': idempotencyKey };
    const call = client.controlPrompt({ body, headers, ...limits });
    const { response, httpRequestId } = await call.withResponse();
    const turnId = response.headers.get('X-Houmao-Turn-Id');
    if (turnId !== null) return turnHandle(client, turnId, true);
    throw new GatewayError({
      status: response.status,
      operationId: 'controlPrompt',
      errorCode: 'invalid_answer',
      httpRequestId,
      detail: 'The gateway took the prompt and named no turn.',
    });
  };
}
