import { awaitPrompt } from '../work/await-answer.js';
import { type RequestLooks, requestWork } from '../work/request-work.js';
import type { WorkErrors } from '../work/work-error.js';
import type { OperationMethods } from './contract.js';
import type { AnswerOptions } from './request-handle.js';
import { type PromptSubmission, submissionOf } from './submit.js';

/** The options of a prompt, and of the wait for its answer. */
export interface PromptOptions extends PromptSubmission, AnswerOptions {}

/** The type of `prompt` of a gateway; `GatewayWork` describes it. */
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
