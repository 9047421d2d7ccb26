import type { Middleware } from 'openapi-fetch';
import { createTransport } from '#transport';
import { parseBaseUrl } from './base-url.js';
import { connect } from './connection.js';
import { type AnyDoors, createDoors } from './doors.js';
import { timeoutOf } from './limits.js';
import { createLog, type LogOption } from './log.js';
import { guarded } from './middleware.js';
import type { OperationMethodsOf, OperationsShape } from './operation.js';
import { createOperationMethods } from './operation-methods.js';
import { recogniser } from './recognise.js';
import { repeating, retriesOf } from './retry/repeat.js';
import type { AnySurface, Surface } from './surface.js';
import { type OwnFetch, ownTransport } from './transport/own.js';

const defaultTimeoutMs = 5000;
/** With their pauses, four retries take one and a half to three seconds: a server that restarts is back by then. */
const defaultMaxRetries = 4;

/** The address of the server, and the limits of calls. */
export interface SurfaceClientOptions {
  baseUrl: string | URL;
  /** The milliseconds that an answer may take, retries included. Default: 5000; `Infinity` for no limit. */
  timeoutMs?: number | undefined;
  /** The most repeats of a call, if its operation may be repeated. Default: 4. */
  maxRetries?: number | undefined;
  /** The token; when left out, the surface's environment finds it. */
  token?: string | undefined;
  /** Sends the requests instead of the SDK's own. */
  fetch?: OwnFetch | undefined;
  /** The level and sink of the log; when left out, the surface's environment decides. */
  log?: LogOption | undefined;
  /** Sees every try of every call. */
  middleware?: Middleware[] | undefined;
}

/**
 * Makes the typed client of any surface: one method per operation, and `GET`, `POST`, `PUT`, `DELETE` of openapi-fetch.
 *
 * @throws TypeError when `baseUrl` is not an address that can be called, `fetch` no function, `middleware` no list of hooks, or
 * `log` no level.
 * @throws RangeError when `timeoutMs` is not positive or `maxRetries` no whole number.
 */
export function createSurfaceClient<
  Paths extends object,
  Operations extends OperationsShape<Operations>,
  Code extends string,
>(
  surface: Surface<Paths, Operations, Code>,
  options: SurfaceClientOptions,
): OperationMethodsOf<Operations> & AnyDoors<Paths> {
  const { token, fetch } = options;
  const { environment } = surface;
  const any = surface as unknown as AnySurface;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const once = connect(any, {
    middleware: guarded(options.middleware),
    userAgent: userAgentOf(any),
    baseUrl,
    transport: fetch ? ownTransport(fetch) : createTransport(environment.obeysProxyVariables()),
    findToken: token === undefined ? environment.findToken : async () => token,
  });
  const send = repeating(any, once, {
    baseUrl,
    timeoutMs: timeoutOf(options, defaultTimeoutMs),
    maxRetries: retriesOf(options, defaultMaxRetries),
    random: Math.random,
    log: createLog(options.log, environment.log, baseUrl),
  });
  // The names and values are those of the types: methods from the route table, doors from openapi-fetch.
  const client: unknown = {
    ...createDoors(any, send),
    ...createOperationMethods(any, send, recogniser(any, send, baseUrl)),
  };
  return client as OperationMethodsOf<Operations> & AnyDoors<Paths>;
}

const userAgentOf = ({ version, environment }: AnySurface): string | null =>
  environment.runtime && `houmao-sdk/${version.sdk} (contract ${version.contract}; ${environment.runtime})`;
