import type { CallLimits } from '../core/operation.js';
import { type Labelled, promptHeaders } from '../gateway/submit.js';
import type { CallOptions, Schemas } from './contract.js';
import { type TurnHandle, type TurnIds, type TurnMethods, turnHandle } from './turn-handle.js';

/** The options of a prompt. */
export interface AgentSubmission extends Labelled {
  /** Model and reasoning level for this prompt only; only headless agents accept it. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * The key of this prompt: a repeat with the same key and the same options does not prompt the agent again, and waits for the
   * same answer. 1 to 255 visible ASCII characters. When left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/** The options of a prompt that is only submitted; the limits are those of the submission, not of the agent's work. */
export interface AgentSubmitOptions extends AgentSubmission, CallLimits {}

/** The type of `submit` of an agent; `Agent` describes it. */
export type AgentSubmit = (text: string, options?: AgentSubmitOptions) => Promise<TurnHandle>;

export type PromptCall = Omit<CallOptions<'submitAgentRequest'>, 'path'>;
/** Submits a prompt to the agent, only once even if answers are lost, and returns the server's ids for it. */
export type TakePrompt = (call: PromptCall) => Promise<TurnIds>;

export function createAgentSubmit(take: TakePrompt, looks: TurnMethods): AgentSubmit {
  return async (text, options = {}) =>
    turnHandle(looks, await take({ ...options, ...callOf(text, options) }), true);
}

/** Returns the prompt in the form for `submitAgentRequest`. */
export function callOf(prompt: string, submission: AgentSubmission): PromptCall {
  const { execution } = submission;
  return {
    body: { request_kind: 'submit_prompt', prompt, ...(execution === undefined ? {} : { execution }) },
    ...promptHeaders(submission),
  };
}
