import type { CallLimits } from '../core/operation.js';
import type { OperationMethods, Schemas } from './contract.js';
import { type RequestHandle, type RequestMethods, requestHandle } from './request-handle.js';

/** What can be said about a prompt beside its text. */
export interface PromptSubmission {
  /** Name of the turn and of its folder of artifacts; the gateway makes one up without it. */
  turnId?: string | undefined;
  /** Which conversation with the agent it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt alone. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * Names this prompt: given again with the same key and the same options, it is not queued again, and its answer is
   * waited for. 1 to 255 visible ASCII characters. Left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/** How to queue a prompt; the limits are those of the submission, not of the agent's work. */
export interface SubmitOptions extends PromptSubmission, CallLimits {}

/**
 * Queues a prompt and returns a handle as soon as the gateway has stored it. The agent's work outlives the handle and the
 * program that holds it: any program goes on with the `requestId`.
 *
 * Rejects with {@link GatewayError}. Where it is not known whether the prompt was queued, the error carries the
 * `idempotencyKey` to ask again with; without one, nothing was queued.
 *
 * @example
 * ```ts
 * const handle = await client.submit('Which tests fail, and why?');
 * console.log(handle.requestId);
 * console.log(await handle.answer());
 * ```
 */
export type Submit = (text: string, options?: SubmitOptions) => Promise<RequestHandle>;

export function createSubmit(methods: Pick<OperationMethods, 'submitRequest'> & RequestMethods): Submit {
  return async (text, { signal, timeoutMs, ...submission } = {}) => {
    const accepted = await methods.submitRequest({ ...submissionOf(text, submission), signal, timeoutMs });
    return requestHandle(methods, accepted.request_id, accepted.state);
  };
}

/** The prompt as `submitRequest` takes it. */
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
