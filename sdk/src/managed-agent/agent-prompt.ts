import { awaitPrompt } from '../work/await-answer.js';
import { type AgentSubmission, callOf, type TakePrompt } from './agent-submit.js';
import { serverErrors } from './failed-work.js';
import { agentTurnWork, type TurnAnswerOptions, type TurnMethods } from './turn-handle.js';

/** The options of a prompt, and of the wait for its answer. */
export interface AgentPromptOptions extends AgentSubmission, TurnAnswerOptions {}

/** The type of `prompt` of an agent; `Agent` describes it. */
export type AgentPrompt = (text: string, options?: AgentPromptOptions) => Promise<string>;

export const createAgentPrompt =
  (submit: TakePrompt, methods: TurnMethods): AgentPrompt =>
  async (text, options = {}) =>
    awaitPrompt(serverErrors, options, {
      operationId: 'submitAgentRequest',
      nothing: 'The agent was not prompted.',
      unknown: 'Whether the agent was prompted is not known.',
      submit: async (signal) =>
        agentTurnWork(methods, await submit({ ...callOf(text, options), signal }), true, options),
    });
