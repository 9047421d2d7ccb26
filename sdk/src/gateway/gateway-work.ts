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
  /** Queues a prompt, waits, and returns the agent's answer; see {@link Prompt}. */
  readonly prompt: Prompt;
  /** Queues a prompt and returns a handle that outlives this program; see {@link Submit}. */
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
  /** Streams the events of the gateway as they happen, across gateways that come and go; see {@link Events}. */
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
