// The package's one entry: everything public is named here.
import type { Middleware } from 'openapi-fetch';
import { environment } from '#gateway-environment';
import type { AnyDoors as DoorsOf } from '../core/doors.js';
import { gatewayGroups, withGroups } from '../core/groups.js';
import type { LogOption } from '../core/log.js';
import type { Surface } from '../core/surface.js';
import { createSurfaceClient } from '../core/surface-client.js';
import type { OwnFetch } from '../core/transport/own.js';
import type { operations, paths } from '../generated/gateway/types/client.js';
import { version } from '../generated/gateway/version.js';
import { type OperationGroups, type OperationMethods, routes } from './contract.js';
import { gatewayErrors } from './failed-work.js';
import { foreignToGateway } from './foreign.js';
import { GatewayError, type GatewayErrorCode } from './gateway-error.js';
import { type GatewayWork, gatewayWork } from './gateway-work.js';

export type { Middleware } from 'openapi-fetch';
export type { ValidationItem } from '../core/call-error.js';
export type { LogEntry, LogLevel, LogOption, LogSink } from '../core/log.js';
export type { CallLimits } from '../core/operation.js';
export type { OwnFetch } from '../core/transport/own.js';
export type { components, LaterWord, operations, paths } from '../generated/gateway/types/client.js';
export type { WaitOptions } from '../work/await-answer.js';
export type { EventGap, Events, EventsOptions } from '../work/follow-events.js';
export type { StreamOptions, StreamTurn, TurnStreaming } from '../work/follow-turn.js';
export type { Silence } from '../work/silence.js';
export type { WorkError } from '../work/work-error.js';
export type {
  CallOptions,
  ErrorCode,
  OperationGroups,
  OperationId,
  OperationMethod,
  OperationMethods,
  Schemas,
  SuccessBody,
} from './contract.js';
export type { Control, ControlOptions } from './control.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry, and the error classes belong to its API
export { PromptFailed, TurnFailed } from './failed-work.js';
export type { GatewayErrorCode } from './gateway-error.js';
export { GatewayError, isGatewayError } from './gateway-error.js';
export type { GatewayWork, UsagePeriod } from './gateway-work.js';
export type { Prompt, PromptOptions } from './prompt.js';
export type { AnswerOptions, RequestHandle } from './request-handle.js';
export type { Requests, RequestsOptions } from './requests.js';
export type { PromptSubmission, Submit, SubmitOptions } from './submit.js';
export type { TurnAnswerOptions, TurnHandle } from './turn-handle.js';

/** The address of the gateway, and the limits of calls. */
export interface GatewayClientOptions {
  /**
   * The gateway's address, for example `http://127.0.0.1:43123`. A slash at the end does not matter, and `0.0.0.0`, on which a
   * gateway may listen, is called as `127.0.0.1`.
   */
  baseUrl: string | URL;
  /**
   * The milliseconds that an answer may take, retries included, unless the call sets its own limit. Default: 5000; `Infinity`
   * for no limit.
   */
  timeoutMs?: number | undefined;
  /** The most repeats of a call, if its operation may be repeated (`x-houmao-retry` of the contract). Default: 4. */
  maxRetries?: number | undefined;
  /**
   * The gateway's token, which callers from other machines need (`gateway/access-token` of the session). When left out: in Node
   * none on loopback, otherwise `HOUMAO_GATEWAY_TOKEN`, or else the token file if the gateway runs on this machine; in a
   * browser none.
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
 * error, response }`. A refusal is in `error`; without an answer they reject with a `GatewayError`. The options also take
 * `timeoutMs` and `maxRetries`.
 */
export type Doors = DoorsOf<paths>;

/**
 * A client of a gateway, with two ways into the same contract: one method per operation, which returns the success body or
 * throws a `GatewayError`; and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch. The methods also have short names in groups
 * (`mail.send` is `sendMail`). In addition: `prompt`, `submit`, `request`, `control`, `turn`, `events`, `requests` and `usage`.
 */
export interface GatewayClient extends OperationMethods, OperationGroups, Doors, GatewayWork {}

const gateway: Surface<paths, operations, GatewayErrorCode> = {
  servedBy: 'gateway',
  version,
  foreign: foreignToGateway,
  routes,
  Failure: GatewayError,
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
 * const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:43123' });
 * console.log(await client.prompt('What is this project about?'));
 * ```
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const client = createSurfaceClient(gateway, options);
  const named = withGroups<typeof client, OperationGroups>(gatewayGroups, client);
  return { ...named, ...gatewayWork(client, gatewayErrors) };
}
