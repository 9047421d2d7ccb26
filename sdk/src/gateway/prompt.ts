import { timeoutOf, withinLimits } from '../core/limits.js';
import { silenceLimitOf } from '../work/waiting.js';
import {
  type AnswerOptions,
  answerOf,
  type Looks,
  type Sighting,
  stoppedWaiting,
  whatBecomes,
} from './answer.js';
import type { OperationMethods, Schemas } from './contract.js';
import { isGatewayError } from './gateway-error.js';

/** What can be said about a prompt beside its text, and how to wait for its answer. */
export interface PromptOptions extends AnswerOptions {
  /** Name of the turn and of its folder of artifacts; the gateway makes one up without it. */
  turnId?: string | undefined;
  /** Which conversation with the agent it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt alone. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /**
   * Names this prompt: given again with the same key and the same options, it is not queued again, and its answer is
   * waited for. 1 to 255 visible ASCII characters. Left out, every prompt has a key of its own.
   */
  idempotencyKey?: string | undefined;
}

/**
 * Queues a prompt, waits for its turn to end, and returns the agent's answer as text: empty when the agent said
 * nothing, and cut at 1 MiB. Waiting survives lost connections and a restart of the gateway.
 *
 * Rejects with {@link PromptFailed} when the turn brought no answer, and with {@link GatewayError} when the prompt was
 * refused, the limits ended the waiting, or the gateway was silent for a minute. Once the prompt is queued, the error
 * carries its `requestId`: go on waiting with `client.request(requestId).answer()`. Where it is not known whether it was
 * queued, the error carries the `idempotencyKey` to ask again with; with neither, nothing was queued.
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
      if (sighting) {
        const about = { requestId: sighting.requestId, operationId: 'getRequest' } as const;
        return stoppedWaiting(stop, timeoutMs, whatBecomes(sighting), about);
      }
      return stoppedWaiting(stop, timeoutMs, ...beforeQueued(error));
    });
  };
}

/** What is known of a prompt whose submission was stopped: the sentence, and the fields of the error. */
function beforeQueued(
  error: unknown,
): [string, { operationId: 'submitRequest'; idempotencyKey?: string; sent: boolean }] {
  const operationId = 'submitRequest';
  const key = isGatewayError(error) ? error.idempotencyKey : null;
  if (key === null) return ['Nothing was queued.', { operationId, sent: false }];
  const remedy = `Given again with the idempotencyKey ${key}, it is queued once at most.`;
  return [
    `Whether the prompt was queued is not known. ${remedy}`,
    { operationId, sent: true, idempotencyKey: key },
  ];
}

function submissionOf(prompt: string, options: PromptOptions) {
  const { turnId, chatSession, execution, idempotencyKey } = options;
  const payload = {
    prompt,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(chatSession === undefined ? {} : { chat_session: chatSession }),
    ...(execution === undefined ? {} : { execution }),
  };
  return {
    body: { kind: 'submit_prompt' as const, payload },
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  };
}
