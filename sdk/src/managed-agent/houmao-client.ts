// The entry `@houmao/sdk/managed-agent`: everything public of it is named here.
import type { Middleware } from 'openapi-fetch';
import { environment } from '#managed-agent-environment';
import type { AnyDoors as DoorsOf } from '../core/doors.js';
import { gatewayGroups, serverGroups, withGroups } from '../core/groups.js';
import type { LogOption } from '../core/log.js';
import type { Surface } from '../core/surface.js';
import { createSurfaceClient } from '../core/surface-client.js';
import type { OwnFetch } from '../core/transport/own.js';
import type { UsagePeriod } from '../gateway/gateway-work.js';
import type { operations, paths } from '../generated/managed-agent/types/client.js';
import { version } from '../generated/managed-agent/version.js';
import { type AgentLists, createAgentList } from './agent-list.js';
import {
  type AgentGateway,
  type AgentGroups,
  type AgentMethods,
  agentGateway,
  agentMethods,
} from './agent-methods.js';
import { type AgentPrompt, createAgentPrompt } from './agent-prompt.js';
import { type AgentSubmit, createAgentSubmit, type PromptCall } from './agent-submit.js';
import {
  type CallOptions,
  type OperationGroups,
  type OperationMethods,
  routes,
  type Schemas,
} from './contract.js';
import { foreignToServer } from './foreign.js';
import { type FleetEvents, followHostEvents, type HostEvents } from './host-events.js';
import { followOverview, type Overviews } from './host-overview.js';
import { HoumaoError, type HoumaoErrorCode } from './houmao-error.js';
import { type TurnHandle, type TurnIds, turnHandle } from './turn-handle.js';

export type { Middleware } from 'openapi-fetch';
export type { ValidationItem } from '../core/call-error.js';
export type { LogEntry, LogLevel, LogOption, LogSink } from '../core/log.js';
export type { CallLimits } from '../core/operation.js';
export type { OwnFetch } from '../core/transport/own.js';
export type { Control, ControlOptions } from '../gateway/control.js';
export type { GatewayWork, UsagePeriod } from '../gateway/gateway-work.js';
export type { Prompt, PromptOptions } from '../gateway/prompt.js';
export type { AnswerOptions, RequestHandle } from '../gateway/request-handle.js';
export type { Requests, RequestsOptions } from '../gateway/requests.js';
export type { PromptSubmission, Submit, SubmitOptions } from '../gateway/submit.js';
export type { TurnHandle as GatewayTurnHandle } from '../gateway/turn-handle.js';
export type { components, LaterWord, operations, paths } from '../generated/managed-agent/types/client.js';
export type { WaitOptions } from '../work/await-answer.js';
export type { EventGap, Events, EventsOptions } from '../work/follow-events.js';
export type { StreamOptions, StreamTurn, TurnStreaming } from '../work/follow-turn.js';
export type { Silence } from '../work/silence.js';
export type { WorkError } from '../work/work-error.js';
export type { AgentListOptions, AgentLists } from './agent-list.js';
export type {
  AgentGateway,
  AgentGatewayGroups,
  AgentGroups,
  AgentMethods,
  AnyGateway,
} from './agent-methods.js';
export type { AgentPrompt, AgentPromptOptions } from './agent-prompt.js';
export type { AgentSubmission, AgentSubmit, AgentSubmitOptions } from './agent-submit.js';
export type {
  AgentMethod,
  CallOptions,
  ErrorCode,
  OperationGroups,
  OperationId,
  OperationMethod,
  OperationMethods,
  Schemas,
  SuccessBody,
} from './contract.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry, and the error classes belong to its API
export { PromptFailed, TurnFailed } from './failed-work.js';
export type { FleetEvents, HostEvents, HostEventsOptions } from './host-events.js';
export type { OverviewOptions, Overviews } from './host-overview.js';
export type { HoumaoErrorCode } from './houmao-error.js';
export { HoumaoError, isHoumaoError } from './houmao-error.js';
export type { TurnAnswerOptions, TurnHandle } from './turn-handle.js';

/** Longer than a gateway's, because some answers take longer: a launch, a stop, an attach. */
const defaultTimeoutMs = 15_000;

/** The address of the managed-agent server, and the limits of calls. */
export interface HoumaoClientOptions {
  /** The server's address, for example `http://127.0.0.1:9889`. A slash at the end does not matter. */
  baseUrl: string | URL;
  /**
   * The milliseconds that an answer may take, retries included, unless the call sets its own limit. Default: 15000; `Infinity`
   * for no limit.
   */
  timeoutMs?: number | undefined;
  /** The most repeats of a call, if its operation may be repeated (`x-houmao-retry` of the contract). Default: 4. */
  maxRetries?: number | undefined;
  /**
   * The server's token, which callers from other machines need (`access-token` in the server's root). When left out: in Node
   * none on loopback, otherwise `HOUMAO_SERVER_TOKEN`, or else the token file if the server runs on this machine; in a browser
   * none.
   */
  token?: string | undefined;
  /**
   * Sends the requests instead of the SDK's own `fetch`: called once per try, with a `Request` of the platform's class that has
   * the token and the signal of the call. A rejection counts as `connection_failed`. Proxies and connections are left to it.
   */
  fetch?: OwnFetch | undefined;
  /**
   * Hooks around every try of every call, as in openapi-fetch: `onRequest` in the order of the list, before the token is added;
   * `onResponse` and `onError` in the opposite order; those of a single call inside those of the client. An error that a hook
   * throws ends the call with `middleware_failed`: `sent` says whether the request had left.
   */
  middleware?: Middleware[] | undefined;
  /**
   * The log of calls: a level, or a level and a `sink` that gets each entry. Entries contain no prompts, no answers, no mail
   * and no token. Default: the level of `HOUMAO_LOG` in Node, on standard error; otherwise nothing.
   */
  log?: LogOption | undefined;
}

/**
 * The methods `GET`, `POST`, `PUT` and `DELETE` of openapi-fetch: they take a path of the contract and resolve to `{ data,
 * error, response }`. A refusal is in `error`; without an answer they reject with a `HoumaoError`. The options also take
 * `timeoutMs` and `maxRetries`.
 */
export type Doors = DoorsOf<paths>;

/** One agent, with all its operations and `path.agent_ref` filled in. */
export interface Agent extends AgentMethods, AgentGroups {
  /** The name under which the agent is called. */
  readonly ref: string;
  /**
   * Prompts the agent, waits for the turn to end, and returns its answer as text: empty when the agent said nothing, and cut at 1
   * MiB. It works the same for every agent, in a terminal or headless, with a gateway or without one. The wait survives lost
   * connections, restarts of the server, however long it is away, and gateways that come and go.
   *
   * @param text - the prompt.
   * @param options -
   * - `execution`, `idempotencyKey`: model and key of the prompt.
   * - `signal`, `timeoutMs`, `silenceMs`: limits of the wait. Default: none.
   * - `onUpdate`, `onQueued`, `onSilence`: called during the wait.
   *
   * @throws `TurnFailed` when the turn brought no answer.
   * @throws `HoumaoError` when the prompt was refused or a limit ended the waiting. Once the prompt is accepted, the error carries
   *   its `turnId`, and its `requestId` if it waits in a gateway's queue: continue waiting with
   *   `agent.turn(turnId, requestId).answer()`. If it is unknown whether the prompt was accepted, the error carries the
   *   `idempotencyKey` for a repeat; with neither, it was not.
   *
   * @example
   * ```ts
   * const answer = await client.agent('alpha').prompt('Which tests fail, and why?', {
   *   onUpdate: ({ state, delivery }) => console.log(state, delivery.state),
   * });
   * ```
   */
  readonly prompt: AgentPrompt;
  /**
   * Prompts the agent, or queues the prompt at its gateway if it has one, and returns a handle as soon as the server has accepted
   * it. The turn outlives the handle and the program that holds it: any program can continue with the `turnId`, and the
   * `requestId` if there is one.
   *
   * @param text - the prompt.
   * @param options -
   * - `execution`, `idempotencyKey`: model and key of the prompt.
   * - `signal`, `timeoutMs`, `maxRetries`: limits of the submission, not of the agent's work.
   *
   * @throws `HoumaoError` when the prompt was not accepted. If that is unknown, the error carries the `idempotencyKey` for a
   *   repeat; without one, it was not.
   *
   * @example
   * ```ts
   * const turn = await client.agent('alpha').submit('Which tests fail, and why?');
   * console.log(turn.turnId, turn.requestId);
   * console.log(await turn.answer());
   * ```
   */
  readonly submit: AgentSubmit;
  /**
   * Returns the handle that `submit` returns, for a turn by its id. Makes no call by itself.
   *
   * @param requestId the request in the queue of the agent's gateway that begins the turn, if `submit` or an error named one:
   * with it `interrupt` takes back a prompt that waits there. `answer` finds the request by itself.
   */
  readonly turn: (turnId: string, requestId?: string | null) => TurnHandle;
  /** The gateway beside the agent, with the methods and handles of a gateway's own client; see {@link AgentGateway}. */
  readonly gateway: AgentGateway;
}

/**
 * A client of a managed-agent server, with two ways into the same contract: one method per operation, which returns the success
 * body or throws a `HoumaoError`; and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch. The methods also have short names in
 * groups (`mail.send` is `sendAgentMail`). In addition: `agent`, `everyAgent`, `events`, `overview` and `usage`.
 */
export interface HoumaoClient extends OperationMethods, OperationGroups, Doors {
  /**
   * Returns one agent, by any of its names. Makes no call by itself, so the first call of the agent is the one that fails for
   * an unknown name.
   *
   * @example
   * ```ts
   * const alpha = client.agent('alpha');
   * console.log((await alpha.getAgentState()).availability, await alpha.prompt('What is this project about?'));
   * ```
   */
  readonly agent: (ref: string) => Agent;
  /**
   * Streams the events of all agents of the host in one order, each with its agent: no event is missed or repeated, across lost
   * connections and restarts of gateways and of the server. Agents that come later begin with their first event. If events of an
   * agent are missing because its record began again, an item without an event says so in `gap`.
   *
   * @param options -
   * - `after`: the `id` of the last item that you have, or `latest` for what happens from now on. Default: the oldest events.
   * - `kinds`: only these kinds, and gaps.
   * - `signal`, `silenceMs`: the ends of the stream. Default: none.
   * - `onUpdate`, `onSilence`: called with the position, and of silences.
   *
   * @throws `HoumaoError` when `listHostEvents` is refused, such as 401, or after `silenceMs` without an answer.
   *
   * @example
   * ```ts
   * for await (const { agent_name, event } of client.events({ after: 'latest', signal })) {
   *   if (event?.kind === 'dialog_shown') console.log(`${agent_name} waits for a person: ${event.data.text}`);
   * }
   * ```
   */
  readonly events: HostEvents;
  /** Lists the agents of the host, page by page; see {@link AgentLists}. */
  readonly everyAgent: AgentLists;
  /**
   * The fleet of the host: its operations under short names (`fleet.listHosts` is `listFleetHosts`), and `events`, the events of all
   * hosts in one order, across lost connections and restarts of hosts and of NATS. Where some are missing, an item says so in `gap`.
   * An agent of another host is `client.agent('alpha@ws1')`.
   *
   * @example
   * ```ts
   * for await (const { host, agent_name, event } of client.fleet.events({ after: 'latest', signal }))
   *   console.log(host, agent_name, event?.kind);
   * ```
   */
  readonly fleet: OperationGroups['fleet'] & { readonly events: FleetEvents };
  /** Streams all agents of the host at a glance, again after each change; see {@link Overviews}. */
  readonly overview: Overviews;
  /** Returns what every agent of the host used, by day (UTC); of the last seven days where no period is given. */
  readonly usage: (period?: UsagePeriod) => Promise<Schemas['HostUsageReport']>;
}

const server: Surface<paths, operations, HoumaoErrorCode> = {
  servedBy: 'managed-agent server',
  version,
  foreign: foreignToServer,
  routes,
  Failure: HoumaoError,
  environment,
};

/**
 * Makes a client. Nothing is sent before the first call, and there is nothing to close: idle connections do not keep the
 * process running.
 *
 * In Node, proxy variables are ignored unless `HOUMAO_GATEWAY_RESPECT_PROXY_ENV` is `1` when the client is made.
 *
 * @throws TypeError when `baseUrl` is not an address that can be called, `fetch` no function, `middleware` no list of hooks, or
 * `log` no level.
 * @throws RangeError when `timeoutMs` is not positive or `maxRetries` no whole number.
 *
 * @example
 * ```ts
 * const client = createHoumaoClient({ baseUrl: 'http://127.0.0.1:9889' });
 * const { agents } = await client.listAgents();
 * for (const { tracked_agent_id, tool } of agents) console.log(tracked_agent_id, tool);
 * ```
 */
export function createHoumaoClient(options: HoumaoClientOptions): HoumaoClient {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const flat = createSurfaceClient(server, { ...options, timeoutMs });
  const client = withGroups<typeof flat, OperationGroups>({ ...gatewayGroups, ...serverGroups }, flat);
  const submit = (call: CallOptions<'submitAgentRequest'>) => submitPrompt(client, call);
  return {
    ...client,
    agent: (ref) => agentOf(client, submit, ref),
    events: (options) => followHostEvents(client.listHostEvents, options),
    everyAgent: createAgentList(client.listAgents),
    fleet: { ...client.fleet, events: (options) => followHostEvents(client.listFleetEvents, options) },
    overview: (options) => followOverview(client.getHostOverview, options),
    usage: ({ from, to } = {}) => client.getHostUsage({ query: { from, to } }),
  };
}

function agentOf(
  methods: OperationMethods,
  submit: (call: CallOptions<'submitAgentRequest'>) => Promise<TurnIds>,
  ref: string,
): Agent {
  const bound = agentMethods(methods, ref);
  const gateway = agentGateway(methods, ref);
  const turns = { ...bound, gateway };
  const take = (call: PromptCall) => submit({ ...call, path: { agent_ref: ref } });
  return {
    ref,
    ...bound,
    prompt: createAgentPrompt(take, turns),
    submit: createAgentSubmit(take, turns),
    turn: (turnId, requestId = null) => turnHandle(turns, { turnId, requestId }, false),
    gateway,
  };
}

/** Submits a prompt. Its turn is named in a header for every transport. */
async function submitPrompt(
  { submitAgentRequest }: OperationMethods,
  call: CallOptions<'submitAgentRequest'>,
): Promise<TurnIds> {
  const { data, response, httpRequestId } = await submitAgentRequest(call).withResponse();
  const turnId = response.headers.get('X-Houmao-Turn-Id') ?? data.headless_turn_id;
  if (turnId !== null) return { turnId, requestId: response.headers.get('X-Houmao-Request-Id') };
  throw new HoumaoError({
    status: response.status,
    operationId: 'submitAgentRequest',
    errorCode: 'invalid_answer',
    httpRequestId,
    detail: 'The server took the prompt and named no turn.',
  });
}
