import { timeoutOf, withinLimits } from '../core/limits.js';
import { retryWith } from '../core/retry/unknown-outcome.js';
import { stoppedBecause } from '../work/await-end.js';
import { silenceLimitOf } from '../work/waiting.js';
import { type AnswerOptions, answerOf, type Looks, type Sighting, whatBecomes } from './answer.js';
import type { OperationMethods } from './contract.js';
import { GatewayError, isGatewayError } from './gateway-error.js';
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

export function createPrompt(methods: Pick<OperationMethods, 'submitRequest'> & Looks): Prompt {
  return async (text, options = {}) => {
    const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
    silenceLimitOf(options.silenceMs);
    let sighting: Sighting | undefined;
    const work = async (signal: AbortSignal) => {
      const { request_id, state } = await methods.submitRequest({ ...submissionOf(text, options), signal });
      sighting = { requestId: request_id, state, turnId: null, silentSince: null };
      return answerOf(methods, sighting, options, signal);
    };
    return withinLimits({ timeoutMs, signal: options.signal }, work, (stop, error) => {
      const [becomes, about] = sighting
        ? [whatBecomes(sighting), { requestId: sighting.requestId, operationId: 'getRequest' as const }]
        : beforeQueued(error);
      return new GatewayError({ ...stoppedBecause(stop, timeoutMs, becomes), ...about });
    });
  };
}

/** Returns what is known of a prompt whose submission was stopped: the sentence, and the fields of the error. */
function beforeQueued(
  error: unknown,
): [string, { operationId: 'submitRequest'; idempotencyKey?: string; sent: boolean }] {
  const operationId = 'submitRequest';
  const key = isGatewayError(error) ? error.idempotencyKey : null;
  if (key === null) return ['Nothing was queued.', { operationId, sent: false }];
  return [
    `Whether the prompt was queued is not known. ${retryWith(key)}`,
    { operationId, sent: true, idempotencyKey: key },
  ];
}
