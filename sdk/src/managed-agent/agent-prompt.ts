import { awaitPrompt } from '../work/await-answer.js';
import { type AgentSubmission, callOf, type TakePrompt } from './agent-submit.js';
import { serverErrors } from './failed-work.js';
import { agentTurnWork, type TurnAnswerOptions, type TurnMethods } from './turn-handle.js';

/** The options of a prompt, and of the wait for its answer. */
export interface AgentPromptOptions extends AgentSubmission, TurnAnswerOptions {}

/**
 * Prompts the agent, waits for the turn to end, and returns its answer as text: empty when the agent said nothing, and cut at 1
 * MiB. It works the same for every agent, in a terminal or headless, with a gateway or without one. The wait survives lost
 * connections, restarts of the server, however long it is away, and gateways that come and go.
 *
 * Rejects with {@link TurnFailed} when the turn brought no answer, and with {@link HoumaoError} when the prompt was refused or
 * a limit ended the waiting. Once the prompt is accepted, the error carries its `turnId`, and its `requestId` if it waits in a
 * gateway's queue: continue waiting with `agent.turn(turnId, requestId).answer()`. If it is unknown whether the prompt was
 * accepted, the error carries the `idempotencyKey` for a repeat; with neither, it was not.
 *
 * @example
 * ```ts
 * const answer = await client.agent('alpha').prompt('Which tests fail, and why?', {
 *   onUpdate: ({ state, delivery }) => console.log(state, delivery.state),
 * });
 * ```
 */
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
