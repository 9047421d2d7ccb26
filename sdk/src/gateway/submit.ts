import type { CallLimits } from '../core/operation.js';
import type { WorkErrors } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { type RequestHandle, type RequestMethods, requestHandle } from './request-handle.js';

/** The options of a prompt. */
export interface PromptSubmission {
  /** The name of the turn and of its folder of artifacts; without it the gateway makes one up. */
  turnId?: string | undefined;
  /** The conversation with the agent that it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt only. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * The key of this prompt: a repeat with the same key and the same options is not queued again, and waits for the same answer.
   * 1 to 255 visible ASCII characters. When left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/** The options of a prompt that is only queued; the limits are those of the submission, not of the agent's work. */
export interface SubmitOptions extends PromptSubmission, CallLimits {}

/**
 * Queues a prompt and returns a handle as soon as the gateway has stored it. The agent's work outlives the handle and the
 * program that holds it: any program can continue with the `requestId`.
 *
 * Rejects with {@link GatewayError}. If it is unknown whether the prompt was queued, the error carries the `idempotencyKey` for
 * a repeat; without one, nothing was queued.
 *
 * @example
 * ```ts
 * const handle = await client.submit('Which tests fail, and why?');
 * console.log(handle.requestId);
 * console.log(await handle.answer());
 * ```
 */
export type Submit = (text: string, options?: SubmitOptions) => Promise<RequestHandle>;

export const createSubmit =
  (methods: RequestMethods, errors: WorkErrors): Submit =>
  async (text, options = {}) => {
    const { request_id, state } = await methods.submitRequest({ ...options, ...submissionOf(text, options) });
    return requestHandle(methods, errors, { requestId: request_id, state });
  };

/** Returns the prompt in the form for `submitRequest`. */
export function submissionOf(prompt: string, submission: PromptSubmission) {
  const { turnId, chatSession, execution, idempotencyKey } = submission;
  const payload = {
    prompt,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(chatSession === undefined ? {} : { chat_session: chatSession }),
    ...(execution === undefined ? {} : { execution }),
  };
  return {
    body: { kind: 'submit_prompt' as const, payload },
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  };
}
