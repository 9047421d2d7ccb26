import type { CallLimits } from '../core/operation.js';
import { type Labelled, promptHeaders } from '../core/prompt-headers.js';
import type { WorkErrors } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { type RequestHandle, type RequestMethods, requestHandle } from './request-handle.js';

/** The options of a prompt. */
export interface PromptSubmission extends Labelled {
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

/** The type of `submit` of a gateway; `GatewayWork` describes it. */
export type Submit = (text: string, options?: SubmitOptions) => Promise<RequestHandle>;

export const createSubmit =
  (methods: RequestMethods, errors: WorkErrors): Submit =>
  async (text, options = {}) => {
    const { request_id, state } = await methods.submitRequest({ ...options, ...submissionOf(text, options) });
    return requestHandle(methods, errors, { requestId: request_id, state });
  };

/** Returns the prompt in the form for `submitRequest`. */
export function submissionOf(prompt: string, submission: PromptSubmission) {
  const { turnId, chatSession, execution } = submission;
  const payload = {
    prompt,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(chatSession === undefined ? {} : { chat_session: chatSession }),
    ...(execution === undefined ? {} : { execution }),
  };
  return {
    body: { kind: 'submit_prompt' as const, payload },
    ...promptHeaders(submission),
  };
}
