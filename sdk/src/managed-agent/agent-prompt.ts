import { timeoutOf, withinLimits } from '../core/limits.js';
import { retryWith } from '../core/retry/unknown-outcome.js';
import { stoppedBecause } from '../work/await-end.js';
import { silenceLimitOf } from '../work/waiting.js';
import { type AgentSubmission, callOf, type TakePrompt } from './agent-submit.js';
import { HoumaoError, isHoumaoError } from './houmao-error.js';
import { answerOf, type Looks, type Sighting, type TurnAnswerOptions, whatBecomes } from './turn-answer.js';

/** What can be said about a prompt beside its text, and how to wait for its answer. */
export interface AgentPromptOptions extends AgentSubmission, TurnAnswerOptions {}

/**
 * Prompts the agent, waits for the turn to end, and returns its answer as text: empty when the agent said nothing, and cut
 * at 1 MiB. It is the same for every agent, in a terminal or headless, with a gateway or without one. Waiting survives
 * lost connections, restarts of the server, however long it is away, and gateways that come and go.
 *
 * Rejects with {@link TurnFailed} when the turn brought no answer, and with {@link HoumaoError} when the prompt was
 * refused or the limits ended the waiting. Once the prompt is taken, the error carries its `turnId`, and its `requestId`
 * where it waits in a gateway's queue: go on waiting with `agent.turn(turnId, requestId).answer()`. Where it is not known
 * whether it was taken, the error carries the `idempotencyKey` to ask again with; with neither, it was not.
 *
 * @example
 * ```ts
 * const answer = await client.agent('alpha').prompt('Which tests fail, and why?', {
 *   onUpdate: ({ state, delivery }) => console.log(state, delivery.state),
 * });
 * ```
 */
export type AgentPrompt = (text: string, options?: AgentPromptOptions) => Promise<string>;

export function createAgentPrompt(submit: TakePrompt, looks: Looks): AgentPrompt {
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
      const [becomes, about] = sighting
        ? [whatBecomes(sighting), { operationId: 'getTurnRecord' as const, ...idsOf(sighting) }]
        : beforeTaken(error);
      return new HoumaoError({ ...stoppedBecause(stop, timeoutMs, becomes), ...about });
    });
  };
}

const idsOf = ({ turnId, requestId }: Sighting) => ({ turnId, requestId });

/** What is known of a prompt whose submission was stopped: the sentence, and the fields of the error. */
function beforeTaken(
  error: unknown,
): [string, { operationId: 'submitAgentRequest'; idempotencyKey?: string; sent: boolean }] {
  const operationId = 'submitAgentRequest';
  const key = isHoumaoError(error) ? error.idempotencyKey : null;
  if (key === null) return ['The agent was not prompted.', { operationId, sent: false }];
  return [
    `Whether the agent was prompted is not known. ${retryWith(key)}`,
    { operationId, sent: true, idempotencyKey: key },
  ];
}
