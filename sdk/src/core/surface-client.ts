import { createTransport } from '#transport';
import { parseBaseUrl } from './base-url.js';
import { connect } from './connection.js';
import { createDoors, type Doors } from './doors.js';
import { timeoutOf } from './limits.js';
import type { OperationMethods, OperationsShape } from './operation.js';
import { createOperationMethods } from './operation-methods.js';
import { repeating, retriesOf } from './retry/repeat.js';
import type { AnySurface, Surface } from './surface.js';

const defaultTimeoutMs = 5000;
/** With their pauses they take one and a half to three seconds: a server that starts anew is back by then. */
const defaultMaxRetries = 4;

/** Where the server is, and how patient to be. */
export interface SurfaceClientOptions {
  baseUrl: string | URL;
  /** Milliseconds that an answer may take, all tries together. Default: 5000; `Infinity` for no limit. */
  timeoutMs?: number | undefined;
  /** How often a call may be repeated where its operation may be. Default: 4. */
  maxRetries?: number | undefined;
  /** Left out, the surface's environment is asked. */
  token?: string | undefined;
}

/**
 * The typed client of any surface: one method per operation, and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch.
 *
 * @throws TypeError when `baseUrl` is not an address that can be dialled.
 * @throws RangeError when `timeoutMs` is not positive or `maxRetries` no whole number.
 */
export function createSurfaceClient<
  Paths extends object,
  Operations extends OperationsShape<Operations>,
  Code extends string,
>(
  surface: Surface<Paths, Operations, Code>,
  options: SurfaceClientOptions,
): OperationMethods<Operations> & Doors<Paths> {
  const { token } = options;
  const { environment } = surface;
  const any = surface as unknown as AnySurface;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const once = connect(any, {
    baseUrl,
    transport: createTransport(environment.obeysProxyVariables()),
    findToken: token === undefined ? environment.findToken : async () => token,
  });
  const send = repeating(any, once, {
    baseUrl,
    timeoutMs: timeoutOf(options, defaultTimeoutMs),
    maxRetries: retriesOf(options, defaultMaxRetries),
    random: Math.random,
  });
  // The same names and values as the types say: methods from the route table, doors as openapi-fetch has them.
  const client: unknown = { ...createDoors(any, send), ...createOperationMethods(any, send) };
  return client as OperationMethods<Operations> & Doors<Paths>;
}
