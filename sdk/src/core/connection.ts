import createClient from 'openapi-fetch';
import type { CallErrorFields } from './call-error.js';
import { fillPath } from './fill-path.js';
import { type Stop, timeoutOf, withinLimits } from './limits.js';
import type { CallLimits, Route } from './operation.js';
import type { AnySurface, Environment } from './surface.js';
import type { Transport } from './transport/transport.js';

/** One call as openapi-fetch takes it. */
export interface Call extends CallLimits {
  readonly operationId: string | null;
  readonly method: Route['method'];
  readonly path: string;
  readonly init: CallInit;
}

export interface CallInit {
  readonly params?: CallParameters | undefined;
  readonly fetch?: Transport['fetch'] | undefined;
  readonly [option: string]: unknown;
}

export interface CallParameters {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
}

/** What openapi-fetch answers, without its types, which the methods above give back. */
export interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export type Send = (call: Call) => Promise<Answer>;

/** Who is called, and how. */
export interface Line {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly findToken: Environment['findToken'];
  readonly defaultTimeoutMs: number;
}

/** What both kinds of methods use: one client of openapi-fetch, with time limits and typed failures around it. */
export function connect(
  { Failure }: AnySurface,
  { baseUrl, transport, findToken, defaultTimeoutMs }: Line,
): Send {
  const client = createClient<object>({ baseUrl, Request: transport.Request, pathSerializer: fillPath });
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<Answer>;

  return async ({ operationId, method, path, init, signal, timeoutMs }) => {
    const limitMs = timeoutOf({ timeoutMs }, defaultTimeoutMs) + waitMs(init);
    let sent = false;
    let response: Response | undefined;
    const failure = (fields: Pick<CallErrorFields, 'errorCode' | 'detail' | 'sent' | 'cause'>) =>
      new Failure({ status: null, operationId, sent, ...fields });
    const stopped = (stop: Stop) =>
      stop.kind === 'timeout'
        ? failure({ errorCode: 'timeout', detail: `No answer from ${baseUrl} within ${limitMs} ms.` })
        : failure({ errorCode: 'aborted', detail: 'The caller aborted the call.', cause: stop.reason });

    const fetch: Transport['fetch'] = async (outgoing) => {
      if (!outgoing.headers.has('Authorization')) {
        const token = await findToken(baseUrl);
        if (token !== null) outgoing.headers.set('Authorization', `Bearer ${token}`);
      }
      outgoing.signal.throwIfAborted();
      sent = true;
      response = await (init.fetch ?? transport.fetch)(outgoing);
      return response;
    };
    const attempt = async (limit: AbortSignal) => {
      try {
        return await request(method, path, { ...init, signal: limit, fetch });
      } catch (error) {
        // A request that could not be built is a mistake in the calling program.
        if (!sent || limit.aborted) throw error;
        if (response && error instanceof SyntaxError) {
          throw new Failure({
            status: response.status,
            httpRequestId: response.headers.get('X-Request-Id'),
            operationId,
            errorCode: 'invalid_answer',
            detail: `${baseUrl} answered with something that is not JSON.`,
            cause: error,
          });
        }
        const reason = causeOf(error);
        throw failure({
          errorCode: 'connection_failed',
          detail: `No answer from ${baseUrl}: ${wordsOf(reason)}.`,
          sent: !isUnreached(reason),
          cause: error,
        });
      }
    };
    return withinLimits({ timeoutMs: limitMs, signal }, attempt, stopped);
  };
}

/** A long poll is meant to take the time it asks for. */
function waitMs(init: CallInit): number {
  const seconds = Number(init.params?.query?.wait_seconds ?? 0);
  return seconds > 0 ? seconds * 1000 : 0;
}

/** `fetch` says "fetch failed" and hides the reason in `cause`. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error);

/** The reason has sometimes a code and no message. */
function wordsOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  if (isBlockedPort(reason))
    return 'fetch refuses to call this port (other protocols use it); only another one can be reached';
  const code = 'code' in reason ? String(reason.code) : reason.name;
  return reason.message || code;
}

/** Whether the call failed before there was a connection. A name with several addresses fails with one error for each. */
function isUnreached(reason: unknown): boolean {
  if (reason instanceof AggregateError) return reason.errors.every(isUnreached);
  if (!(reason instanceof Error)) return false;
  if (isBlockedPort(reason)) return true;
  const { syscall, code } = reason as Error & { syscall?: unknown; code?: unknown };
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** undici's whole word for a port that fetch blocks: https://fetch.spec.whatwg.org/#port-blocking. A browser has none. */
const isBlockedPort = (reason: Error): boolean => reason.message === 'bad port';
