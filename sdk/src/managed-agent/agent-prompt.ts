import { timeoutOf, withinLimits } from '../core/limits.js';
import { silenceLimitOf } from '../work/waiting.js';
import type { CallOptions, Schemas } from './contract.js';
import { isHoumaoError } from './houmao-error.js';
import {
  answerOf,
  type Looks,
  type Sighting,
  stoppedWaiting,
  type TurnAnswerOptions,
  whatBecomes,
} from './turn-answer.js';

/** What can be said about a prompt beside its text, and how to wait for its answer. */
export interface AgentPromptOptions extends TurnAnswerOptions {
  /** Model and reasoning level for this prompt alone; only headless agents take it. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * Names this prompt: given again with the same key and the same options, it is not given to the agent again, and its
   * answer is waited for. 1 to 255 visible ASCII characters. Left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/**
 * Prompts the agent, waits for the turn to end, and returns its answer as text: empty when the agent said nothing, and cut
 * at 1 MiB. It is the same for every agent, in a terminal or headless, with a gateway or without one. Waiting survives
 * lost connections, a restart of the server, and gateways that come and go.
 *
 * Rejects with {@link TurnFailed} when the turn brought no answer, and with {@link HoumaoError} when the prompt was
 * refused, the limits ended the waiting, or the server was silent for a minute. Once the prompt is taken, the error
 * carries its `turnId`: go on waiting with `agent.turn(turnId).answer()`. Where it is not known whether it was taken, the
 * error carries the `idempotencyKey` to ask again with; with neither, it was not.
 *
 * @example
 * ```ts
 * const answer = await client.agent('alpha').prompt('Which tests fail, and why?', {
 *   onUpdate: ({ state, delivery }) => console.log(state, delivery.state),
 * });
 * ```
 */
export type AgentPrompt = (text: string, options?: AgentPromptOptions) => Promise<string>;

/** What the server called a prompt that it took. */
export interface TakenPrompt {
  readonly turnId: string;
  readonly requestId: string | null;
}
type PromptCall = Omit<CallOptions<'submitAgentRequest'>, 'path'>;

/** @param submit gives a prompt to the agent, once, whatever becomes of answers. */
export function createAgentPrompt(
  submit: (call: PromptCall) => Promise<TakenPrompt>,
  looks: Looks,
): AgentPrompt {
  return async (text, options = {}) => {
    const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
    silenceLimitOf(options.silenceMs);
    let sighting: Sighting | undefined;
    const work = async (signal: AbortSignal) => {
      const taken = await submit({ ...callOf(text, options), signal });
      sighting = { ...taken, queued: taken.requestId !== null, seen: true, silentSince: null };
      return answerOf(looks, sighting, options, signal);
    };
    return withinLimits({ timeoutMs, signal: options.signal }, work, (stop, error) => {
      if (sighting) {
        const { turnId, requestId } = sighting;
        const about = { operationId: 'getTurnRecord', turnId, requestId } as const;
        return stoppedWaiting(stop, timeoutMs, whatBecomes(sighting), about);
      }
      return stoppedWaiting(stop, timeoutMs, ...beforeTaken(error));
    });
  };
}

/** What is known of a prompt whose submission was stopped: the sentence, and the fields of the error. */
function beforeTaken(
  error: unknown,
): [string, { operationId: 'submitAgentRequest'; idempotencyKey?: string; sent: boolean }] {
  const operationId = 'submitAgentRequest';
  const key = isHoumaoError(error) ? error.idempotencyKey : null;
  if (key === null) return ['The agent was not prompted.', { operationId, sent: false }];
  const remedy = `Given again with the idempotencyKey ${key}, it is prompted once at most.`;
  return [
    `Whether the agent was prompted is not known. ${remedy}`,
    { operationId, sent: true, idempotencyKey: key },
  ];
}

function callOf(prompt: string, { execution, idempotencyKey }: AgentPromptOptions): PromptCall {
  return {
    body: { request_kind: 'submit_prompt', prompt, ...(execution === undefined ? {} : { execution }) },
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  };
}
