import { awaitPrompt } from '../work/await-answer.js';
import { type RequestLooks, requestWork } from '../work/request-work.js';
import type { WorkErrors } from '../work/work-error.js';
import type { OperationMethods } from './contract.js';
import type { AnswerOptions } from './request-handle.js';
import { type PromptSubmission, submissionOf } from './submit.js';

/** The options of a prompt, and of the wait for its answer. */
export interface PromptOptions extends PromptSubmission, AnswerOptions {}

/**
 * Queues a prompt, waits for its turn to end, and returns the agent's answer as text: empty when the agent said nothing, and
 * cut at 1 MiB. The wait survives lost connections and restarts of the gateway, however long it is away.
 *
 * Rejects with {@link PromptFailed} when the turn brought no answer, and with {@link GatewayError} when the prompt was refused
 * or a limit ended the waiting. Once the prompt is queued, the error carries its `requestId`: continue waiting with
 * `client.request(requestId).answer()`. If it is unknown whether the prompt was queued, the error carries the `idempotencyKey`
 * for a repeat; with neither, nothing was queued.
 *
 * @example
 * ```ts
 * const answer = await client.prompt('Which tests fail, and why?', {
 *   onUpdate: ({ state, queue_position }) => console.log(state, queue_position),
 * });
 * ```
 */
export type Prompt = (text: string, options?: PromptOptions) => Promise<string>;

export const createPrompt =
  (methods: Pick<OperationMethods, 'submitRequest'> & RequestLooks, errors: WorkErrors): Prompt =>
  async (text, options = {}) =>
    awaitPrompt(errors, options, {
      operationId: errors.idOf('submitRequest'),
      nothing: 'Nothing was queued.',
      unknown: 'Whether the prompt was queued is not known.',
      submit: async (signal) => {
        const { request_id, state } = await methods.submitRequest({ ...submissionOf(text, options), signal });
        return requestWork(errors, methods, { requestId: request_id, state }, options);
      },
    });
