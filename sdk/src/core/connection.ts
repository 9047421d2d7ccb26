import createClient from 'openapi-fetch';
import type { CallErrorFields } from './call-error.js';
import { fillPath } from './fill-path.js';
import type { CallLimits, Route } from './operation.js';
import type { Known } from './retry/unknown-outcome.js';
import type { AnySurface, Environment } from './surface.js';
import type { Transport } from './transport/transport.js';

/** One call as openapi-fetch takes it. */
export interface Call extends CallLimits {
  readonly operationId: string | null;
  readonly method: Route['method'];
  readonly path: string;
  readonly init: CallInit;
  /** Whether it gets an Idempotency-Key where its operation takes one and the caller gave none. */
  readonly makesKey: boolean;
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
export interface TryAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer to a call, and what is known of its tries. */
export interface Answer extends TryAnswer {
  readonly known: Known;
}

export type Send = (call: Call) => Promise<Answer>;

/** One try of a call. `onSent` is told before anything of it leaves. */
export type Try = (
  call: Call,
  how: { readonly limit: AbortSignal; readonly tries: number; readonly onSent: () => void },
) => Promise<TryAnswer>;

/** Who is called, and how. */
export interface Line {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly findToken: Environment['findToken'];
}

/** What both kinds of methods use: one client of openapi-fetch, with typed failures around it. */
export function connect({ Failure }: AnySurface, { baseUrl, transport, findToken }: Line): Try {
  const client = createClient<object>({ baseUrl, Request: transport.Request, pathSerializer: fillPath });
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<TryAnswer>;

  return async ({ operationId, method, path, init }, { limit, onSent }) => {
    let sent = false;
    let response: Response | undefined;
    const failure = (fields: Pick<CallErrorFields, 'errorCode' | 'detail' | 'sent' | 'cause'>) =>
      new Failure({
        status: response?.status ?? null,
        httpRequestId: response?.headers.get('X-Request-Id') ?? null,
        operationId,
        ...fields,
      });
    const fetch: Transport['fetch'] = async (outgoing) => {
      if (!outgoing.headers.has('Authorization')) {
        const token = await findToken(baseUrl);
        if (token !== null) outgoing.headers.set('Authorization', `Bearer ${token}`);
      }
      outgoing.signal.throwIfAborted();
      sent = true;
      onSent();
      response = await (init.fetch ?? transport.fetch)(outgoing);
      return response;
    };
    try {
      return await request(method, path, { ...init, signal: limit, fetch });
    } catch (error) {
      // A request that could not be built is a mistake in the calling program.
      if (!sent || limit.aborted) throw error;
      if (response && error instanceof SyntaxError) {
        const detail = `${baseUrl} answered with something that is not JSON.`;
        throw failure({ errorCode: 'invalid_answer', detail, cause: error });
      }
      response = undefined;
      const reason = causeOf(error);
      throw failure({
        errorCode: 'connection_failed',
        detail: `No answer from ${baseUrl}: ${wordsOf(reason)}.`,
        sent: !isUnreached(reason),
        cause: error,
      });
    }
  };
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
