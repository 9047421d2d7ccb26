// The package's one entry: everything public is named here.
import { environment } from '#gateway-environment';
import type { Doors as DoorsOf } from '../core/doors.js';
import type { Surface } from '../core/surface.js';
import { createSurfaceClient } from '../core/surface-client.js';
import type { operations, paths } from '../generated/gateway/client.js';
import { type OperationMethods, routes } from './contract.js';
import { type Control, createControl } from './control.js';
import { GatewayError, type GatewayErrorCode } from './gateway-error.js';
import { createPrompt, type Prompt } from './prompt.js';
import { type RequestHandle, requestHandle } from './request-handle.js';
import { createSubmit, type Submit } from './submit.js';
import { type TurnHandle, turnHandle } from './turn-handle.js';

export type { ValidationItem } from '../core/call-error.js';
export type { CallLimits } from '../core/operation.js';
export type { components, operations, paths } from '../generated/gateway/client.js';
export type { AnswerOptions, Silence, WaitOptions } from './answer.js';
export type {
  CallOptions,
  ErrorCode,
  OperationId,
  OperationMethod,
  OperationMethods,
  Schemas,
  SuccessBody,
} from './contract.js';
export type { Control, ControlOptions } from './control.js';
export type { GatewayErrorCode } from './gateway-error.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry, and the error classes belong to its API
export { GatewayError, isGatewayError } from './gateway-error.js';
export type { Prompt, PromptOptions } from './prompt.js';
export { PromptFailed } from './prompt-failed.js';
export type { RequestHandle } from './request-handle.js';
export type { PromptSubmission, Submit, SubmitOptions } from './submit.js';
export { TurnFailed } from './turn-failed.js';
export type { TurnAnswerOptions, TurnHandle } from './turn-handle.js';

/** Where the gateway is, and how patient to be. */
export interface GatewayClientOptions {
  /**
   * The gateway's address, for example `http://127.0.0.1:43123`. A slash at the end does not matter, and `0.0.0.0`,
   * which a gateway may listen on, is dialled as `127.0.0.1`.
   */
  baseUrl: string | URL;
  /**
   * Milliseconds that an answer may take, all tries together, unless the call says otherwise. Default: 5000; `Infinity`
   * for no limit.
   */
  timeoutMs?: number | undefined;
  /** How often a call may be repeated where its operation may be (`x-houmao-retry` of the contract). Default: 4. */
  maxRetries?: number | undefined;
  /**
   * The gateway's token, which callers from other machines need (`gateway/access-token` of the session). Left out: in Node
   * none on loopback, elsewhere `HOUMAO_GATEWAY_TOKEN`, else the token file where the gateway runs on this machine; in a
   * browser none.
   */
  token?: string | undefined;
}

/**
 * `GET`, `POST`, `PUT` and `DELETE` of openapi-fetch as they are: they take a path of the contract and answer
 * `{ data, error, response }`. A refusal is in `error`; without an answer they reject with a `GatewayError`. The
 * options also take `timeoutMs` and `maxRetries`.
 */
export type Doors = DoorsOf<paths>;

/**
 * A gateway as an object, with two doors into the same contract: one method per operation, which returns the success
 * body or throws a `GatewayError`; and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch. On top: `prompt`,
 * `submit`, `request`, `control` and `turn`.
 */
export interface GatewayClient extends OperationMethods, Doors {
  /** Queues a prompt, waits, and returns the agent's answer; see {@link Prompt}. */
  readonly prompt: Prompt;
  /** Queues a prompt and returns a handle that outlives this program; see {@link Submit}. */
  readonly submit: Submit;
  /**
   * A request that is queued already, by its id: the handle that `submit` gives. Asks nothing by itself.
   *
   * @example
   * ```ts
   * const answer = await client.request(requestId).answer({ timeoutMs: 60_000 });
   * ```
   */
  readonly request: (requestId: string) => RequestHandle;
  /** Hands a prompt to the agent now, past the queue, and returns a handle of its turn; see {@link Control}. */
  readonly control: Control;
  /** A turn by its id: the handle that `control` gives. Asks nothing by itself. */
  readonly turn: (turnId: string) => TurnHandle;
}

const gateway: Surface<paths, operations, GatewayErrorCode> = {
  servedBy: 'gateway',
  routes,
  deeds: {
    ...{ submitRequest: 'queued', controlPrompt: 'sent', createReminders: 'added' },
    ...{ sendMail: 'delivered', postMail: 'delivered', replyMail: 'delivered' },
  },
  Failure: GatewayError,
  environment,
};

/**
 * Makes a client. Nothing is sent before the first call, and there is nothing to close: idle connections do not keep
 * the process running.
 *
 * In Node, proxy variables are ignored unless `HOUMAO_GATEWAY_RESPECT_PROXY_ENV` is `1` when the client is made.
 *
 * @throws TypeError when `baseUrl` is not an address that can be dialled.
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
  return {
    ...client,
    prompt: createPrompt(client),
    submit: createSubmit(client),
    request: (requestId) => requestHandle(client, requestId, null),
    control: createControl(client),
    turn: (turnId) => turnHandle(client, turnId, false),
  };
}
