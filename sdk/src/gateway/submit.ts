import type { CallLimits } from '../core/operation.js';
import type { WorkErrors } from '../work/work-error.js';
import type { Schemas } from './contract.js';
import { type RequestHandle, type RequestMethods, requestHandle } from './request-handle.js';

/** The labels of a prompt. */
export interface Labelled {
  /**
   * Your own labels for this prompt, shown in the records of its request and turn, and a filter of `listRequests`: at most 16, under
   * keys of 1 to 64 letters, digits, dots, - and _, each value at most 512 characters.
   */
  metadata?: Readonly<Record<string, string>> | undefined;
}

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
  /**
   * Until when the host of an agent of another host may take the prompt: one that is still on its way then lapses and never runs, and
   * `answer` rejects with the `errorCode` `lapsed`. An agent of this host has the prompt at once, and its server refuses
   * a deadline that has passed. Default: no limit.
   */
  deadline?: Date | undefined;
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
  const { turnId, chatSession, execution, deadline } = submission;
  const payload = {
    prompt,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(chatSession === undefined ? {} : { chat_session: chatSession }),
    ...(execution === undefined ? {} : { execution }),
  };
  return {
    body: { kind: 'submit_prompt' as const, payload },
    headers: { ...promptHeaders(submission).headers, 'X-Houmao-Deadline': instantOf(deadline) },
  };
}

/** @throws {TypeError} for what is no date, which a caller without types may give */
function instantOf(deadline: Date | undefined): string | undefined {
  if (deadline === undefined) return undefined;
  if (!Number.isFinite(deadline?.getTime?.()))
    throw new TypeError(`deadline must be a valid Date, not ${String(deadline)}`);
  return deadline.toISOString();
}

/** Returns the headers of a prompt as a part of a call. A header is ASCII: other characters are escaped. */
export const promptHeaders = ({
  idempotencyKey,
  metadata,
}: Labelled & { idempotencyKey?: string | undefined }) => ({
  headers: {
    'Idempotency-Key': idempotencyKey,
    'X-Houmao-Metadata':
      metadata &&
      JSON.stringify(metadata).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  },
});
