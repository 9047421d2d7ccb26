import { type Events, followEvents } from '../work/follow-events.js';
import type { WorkErrors } from '../work/work-error.js';
import type { OperationMethods, Schemas } from './contract.js';
import { type Control, createControl } from './control.js';
import { createPrompt, type Prompt } from './prompt.js';
import { type RequestHandle, requestHandle } from './request-handle.js';
import { createRequests, type Requests } from './requests.js';
import { createSubmit, type Submit } from './submit.js';
import { type TurnHandle, turnHandle } from './turn-handle.js';

/**
 * The methods of a gateway's client beside its operations: the same for a client of the gateway itself, and for the gateway of
 * an agent that is called through the managed-agent server.
 */
export interface GatewayWork {
  /**
   * Queues a prompt, waits for its turn to end, and returns the agent's answer as text: empty when the agent said nothing, and
   * cut at 1 MiB. The wait survives lost connections and restarts of the gateway, however long it is away.
   *
   * @param text - the prompt.
   * @param options -
   * - `turnId`, `chatSession`, `execution`, `idempotencyKey`: name, conversation, model and key of the prompt.
   * - `deadline`: until when the host of an agent elsewhere in the fleet may take it.
   * - `signal`, `timeoutMs`, `silenceMs`: limits of the wait. Default: none.
   * - `onUpdate`, `onSilence`: called during the wait.
   *
   * @throws `PromptFailed` when the turn brought no answer.
   * @throws `GatewayError` (`HoumaoError` through the server) when the prompt was refused or a limit ended the waiting. Once the
   *   prompt is queued, the error carries its `requestId`: continue waiting with `client.request(requestId).answer()`. If it is
   *   unknown whether the prompt was queued, it carries the `idempotencyKey` for a repeat; with neither, nothing was queued.
   *
   * @example
   * ```ts
   * const answer = await client.prompt('Which tests fail, and why?', {
   *   onUpdate: ({ state, queue_position }) => console.log(state, queue_position),
   * });
   * ```
   */
  readonly prompt: Prompt;
  /**
   * Queues a prompt and returns a handle as soon as the gateway has stored it. The agent's work outlives the handle and the
   * program that holds it: any program can continue with the `requestId`.
   *
   * @param text - the prompt.
   * @param options -
   * - `turnId`, `chatSession`, `execution`, `idempotencyKey`: name, conversation, model and key of the prompt.
   * - `deadline`: until when the host of an agent elsewhere in the fleet may take it.
   * - `signal`, `timeoutMs`, `maxRetries`: limits of the submission, not of the agent's work.
   *
   * @throws `GatewayError` (`HoumaoError` through the server) when the prompt was not queued. If that is unknown, the error
   *   carries the `idempotencyKey` for a repeat; without one, nothing was queued.
   *
   * @example
   * ```ts
   * const handle = await client.submit('Which tests fail, and why?');
   * console.log(handle.requestId);
   * console.log(await handle.answer());
   * ```
   */
  readonly submit: Submit;
  /**
   * Returns the handle that `submit` returns, for a request that is already queued, by its id. Makes no call by itself.
   *
   * @example
   * ```ts
   * const answer = await client.request(requestId).answer({ timeoutMs: 60_000 });
   * ```
   */
  readonly request: (requestId: string) => RequestHandle;
  /** Sends a prompt to the agent now, past the queue, and returns a handle of its turn; see {@link Control}. */
  readonly control: Control;
  /** Returns the handle that `control` returns, for a turn by its id. Makes no call by itself. */
  readonly turn: (turnId: string) => TurnHandle;
  /**
   * Streams the events of a gateway as they happen, oldest first: no event is missed or repeated, across lost connections and
   * restarts of the gateway. An event has the `data` of its `kind`. The stream continues until your `signal` fires or you leave
   * the loop.
   *
   * If events are missing because the gateway's record started again, an item of the kind `gap` reports it. A newer gateway may
   * have kinds that the types do not name: ignore them.
   *
   * @param options -
   * - `after`: the `seq` of the last event that you have. Default: 0, for the oldest event.
   * - `kinds`: only these kinds, and gaps.
   * - `signal`, `silenceMs`: the ends of the stream. Default: none.
   * - `onUpdate`: called with the position, and of silences.
   *
   * @throws `GatewayError` (`HoumaoError` through the server) when `listEvents` is refused, such as 401, or after `silenceMs`
   *   without an answer.
   *
   * @example
   * ```ts
   * for await (const event of client.events({ kinds: ['turn_ended'], signal })) {
   *   if (event.kind === 'gap') console.warn(event.detail);
   *   else console.log(event.seq, event.data.turn_id, event.data.outcome);
   * }
   * ```
   */
  readonly events: Events<Schemas['GatewayEvent']>;
  /** Lists every request of the gateway, over all pages; see {@link Requests}. */
  readonly requests: Requests;
  /**
   * Returns what the agent used, by day (UTC): tokens, cost and turns; of the last seven days where no period is given.
   *
   * @example
   * ```ts
   * const { days } = await client.usage({ from: '2026-03-01', to: '2026-03-31' });
   * ```
   */
  readonly usage: (period?: UsagePeriod) => Promise<Schemas['UsageReport']>;
}

/** The days (UTC) of a report of usage, such as `2026-03-13`; both count. At most 366 days. */
export interface UsagePeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The operations that these methods call. */
type WorkMethods = Pick<
  OperationMethods,
  | 'submitRequest'
  | 'getRequest'
  | 'listRequests'
  | 'cancelRequest'
  | 'getTurn'
  | 'streamTurn'
  | 'listEvents'
  | 'getUsage'
  | 'controlPrompt'
>;

export const gatewayWork = (methods: WorkMethods, errors: WorkErrors): GatewayWork => ({
  prompt: createPrompt(methods, errors),
  submit: createSubmit(methods, errors),
  request: (requestId) => requestHandle(methods, errors, { requestId, state: null }),
  control: createControl(methods, errors),
  turn: (turnId) => turnHandle(methods, errors, turnId, false),
  // The cast adds only the types of each kind of event.
  events: followEvents.bind(null, {
    server: errors.server,
    list: methods.listEvents,
  }) as GatewayWork['events'],
  requests: createRequests(methods.listRequests),
  usage: ({ from, to } = {}) => methods.getUsage({ query: { from, to } }),
});
