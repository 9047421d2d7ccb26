import type { CallLimits } from '../core/operation.js';
import type { CallOptions, Schemas } from './contract.js';
import { type TurnHandle, type TurnIds, type TurnMethods, turnHandle } from './turn-handle.js';

/** What can be said about a prompt beside its text. */
export interface AgentSubmission {
  /** Model and reasoning level for this prompt alone; only headless agents take it. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * Names this prompt: given again with the same key and the same options, it is not given to the agent again, and its
   * answer is waited for. 1 to 255 visible ASCII characters. Left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/** How to give a prompt to an agent; the limits are those of the submission, not of the agent's work. */
export interface AgentSubmitOptions extends AgentSubmission, CallLimits {}

/**
 * Prompts the agent, or puts the prompt into the queue of its gateway where it has one, and returns a handle as soon as the
 * server has taken it. The turn outlives the handle and the program that holds it: any program goes on with the `turnId`,
 * and the `requestId` where there is one.
 *
 * Rejects with {@link HoumaoError}. Where it is not known whether the prompt was taken, the error carries the
 * `idempotencyKey` to ask again with; without one, it was not.
 *
 * @example
 * ```ts
 * const turn = await client.agent('alpha').submit('Which tests fail, and why?');
 * console.log(turn.turnId, turn.requestId);
 * console.log(await turn.answer());
 * ```
 */
export type AgentSubmit = (text: string, options?: AgentSubmitOptions) => Promise<TurnHandle>;

export type PromptCall = Omit<CallOptions<'submitAgentRequest'>, 'path'>;
/** Gives a prompt to the agent, once, whatever becomes of answers; what the server called it. */
export type TakePrompt = (call: PromptCall) => Promise<TurnIds>;

export function createAgentSubmit(take: TakePrompt, looks: TurnMethods): AgentSubmit {
  return async (text, { signal, timeoutMs, ...submission } = {}) =>
    turnHandle(looks, await take({ ...callOf(text, submission), signal, timeoutMs }), true);
}

/** The prompt as `submitAgentRequest` takes it. */
export function callOf(prompt: string, { execution, idempotencyKey }: AgentSubmission): PromptCall {
  return {
    body: { request_kind: 'submit_prompt', prompt, ...(execution === undefined ? {} : { execution }) },
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  };
}
