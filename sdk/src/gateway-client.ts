// The package's one entry: everything public is named here.
import { findToken } from '#token';
import { createTransport } from '#transport';
import { parseBaseUrl } from './base-url.js';
import { connect } from './connection.js';
import { createDoors, type Doors } from './doors.js';
import { timeoutOf } from './limits.js';
import type { OperationMethods } from './operation.js';
import { createOperationMethods } from './operation-methods.js';
import { createPrompt, type Prompt } from './prompt.js';
import { repeatWhenLost } from './submit-request.js';

export type { Doors } from './doors.js';
export type { GatewayErrorCode, ValidationItem } from './gateway-error.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry, and the error classes belong to its API
export { GatewayError, isGatewayError } from './gateway-error.js';
export type { components, operations, paths } from './generated/gateway.js';
export type {
  CallLimits,
  CallOptions,
  OperationId,
  OperationMethod,
  OperationMethods,
  Schemas,
  SuccessBody,
} from './operation.js';
export type { Prompt, PromptOptions } from './prompt.js';
export { PromptFailed } from './prompt-failed.js';

const DEFAULT_TIMEOUT_MS = 5000;

/** Where the gateway is, and how patient to be. */
export interface GatewayClientOptions {
  /**
   * The gateway's address, for example `http://127.0.0.1:43123`. A slash at the end does not matter, and `0.0.0.0`,
   * which a gateway may listen on, is dialled as `127.0.0.1`.
   */
  baseUrl: string | URL;
  /** Milliseconds that an answer may take, unless the call says otherwise. Default: 5000; `Infinity` for no limit. */
  timeoutMs?: number | undefined;
  /**
   * The gateway's token, which callers from other machines need (`gateway/access-token` of the session). Left out: in Node
   * `HOUMAO_GATEWAY_TOKEN`, else the token file where the gateway runs on this machine; in a browser none.
   */
  token?: string | undefined;
}

/**
 * A gateway as an object, with two doors into the same contract: one method per operation, which returns the success
 * body or throws a `GatewayError`; and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch. On top: `prompt`.
 */
export interface GatewayClient extends OperationMethods, Doors {
  /** Queues a prompt, waits, and returns the agent's answer; see {@link Prompt}. */
  readonly prompt: Prompt;
}

/**
 * Makes a client. Nothing is sent before the first call, and there is nothing to close: idle connections do not keep
 * the process running.
 *
 * In Node, proxy variables are ignored unless `HOUMAO_GATEWAY_RESPECT_PROXY_ENV` is `1` when the client is made.
 *
 * @throws TypeError when `baseUrl` is not an address that can be dialled.
 * @throws RangeError when `timeoutMs` is not positive.
 *
 * @example
 * ```ts
 * const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:43123' });
 * console.log(await client.prompt('What is this project about?'));
 * ```
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const timeoutMs = timeoutOf(options, DEFAULT_TIMEOUT_MS);
  const { token } = options;
  const send = connect(
    parseBaseUrl(options.baseUrl),
    createTransport(),
    token === undefined ? findToken : async () => token,
    timeoutMs,
  );
  const methods = createOperationMethods(send);
  const repeating = { ...methods, submitRequest: repeatWhenLost(methods.submitRequest) };
  return { ...createDoors(send), ...repeating, prompt: createPrompt(repeating) };
}
