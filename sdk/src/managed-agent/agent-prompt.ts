import { timeoutOf, withinLimits } from '../core/limits.js';
import { retryWith } from '../core/retry/unknown-outcome.js';
import { stoppedBecause } from '../work/await-end.js';
import { silenceLimitOf } from '../work/waiting.js';
import { type AgentSubmission, callOf, type TakePrompt } from './agent-submit.js';
import { HoumaoError, isHoumaoError } from './houmao-error.js';
import { answerOf, type Looks, type Sighting, type TurnAnswerOptions, whatBecomes } from './turn-answer.js';

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

/** Returns what is known of a prompt whose submission was stopped: the sentence, and the fields of the error. */
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
