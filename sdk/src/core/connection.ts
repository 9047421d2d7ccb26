import createClient, { type Middleware } from 'openapi-fetch';
import type { CallErrorFields } from './call-error.js';
import { fillPath } from './fill-path.js';
import { unlessStopped } from './limits.js';
import { guarded, HookFailure } from './middleware.js';
import type { CallLimits, Route } from './operation.js';
import type { Known } from './retry/unknown-outcome.js';
import type { AnySurface, Environment } from './surface.js';
import { ownTransport } from './transport/own.js';
import type { Transport } from './transport/transport.js';

/** One call in the form for openapi-fetch. */
export interface Call extends CallLimits {
  readonly operationId: string | null;
  readonly method: Route['method'];
  readonly path: string;
  readonly init: CallInit;
  /** Whether the call gets an Idempotency-Key when its operation takes one and the caller gave none. */
  readonly makesKey: boolean;
}

export interface CallInit {
  readonly params?: CallParameters | undefined;
  readonly fetch?: Transport['fetch'] | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  readonly [option: string]: unknown;
}

export interface CallParameters {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
}

/** The answer of openapi-fetch without its types, which the methods above add again. */
export interface TryAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer to a call, with the facts about its tries. */
export interface Answer extends TryAnswer {
  readonly known: Known;
}

export type Send = (call: Call) => Promise<Answer>;

/** One try of a call. `onSent` is called before any part of it leaves. */
export type Try = (
  call: Call,
  how: { readonly limit: AbortSignal; readonly tries: number; readonly onSent: () => void },
) => Promise<TryAnswer>;

/** The server to call, and the way to call it. */
export interface Line {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly findToken: Environment['findToken'];
  /** Null when calls must not name the SDK: calls from a web page would be blocked. */
  readonly userAgent: string | null;
  /** The middleware of every call, which comes before that of the call itself. */
  readonly middleware: readonly Middleware[];
}

/** Makes the function behind both kinds of methods: one client of openapi-fetch, with typed failures around it. */
export function connect(
  { Failure, environment }: AnySurface,
  { baseUrl, transport, findToken, middleware, userAgent }: Line,
): Try {
  const client = createClient<object>({
    baseUrl,
    headers: { 'User-Agent': userAgent },
    Request: transport.Request,
    pathSerializer: fillPath,
  });
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<TryAnswer>;

  return async ({ operationId, method, path, init }, { limit, onSent }) => {
    const way = init.fetch ? ownTransport(init.fetch) : transport;
    const hooks = [...middleware, ...guarded(init.middleware)];
    let sent = false;
    let response: Response | undefined;
    const failure = (fields: Pick<CallErrorFields, 'errorCode' | 'detail' | 'sent' | 'hopeless' | 'cause'>) =>
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
      limit.throwIfAborted();
      sent = true;
      onSent();
      response = await way.fetch(outgoing);
      return response;
    };
    const atTheEnd: Middleware = {
      onResponse: (last) => {
        response = last.response;
      },
    };
    try {
      const how =
        hooks.length === 0
          ? { Request: way.Request }
          : { Request: globalThis.Request, middleware: [atTheEnd, ...hooks] };
      const call = request(method, path, { ...init, signal: limit, ...how, fetch });
      return await unlessStopped(call, limit);
    } catch (error) {
      if (limit.aborted) throw error;
      if (error instanceof HookFailure)
        throw failure({
          errorCode: 'middleware_failed',
          detail: `${error.message}.`,
          sent,
          cause: error.cause,
        });
      // Without a response, a hook answered in place of the request.
      if (error instanceof SyntaxError && (response || !sent)) {
        const detail = `${baseUrl} answered with something that is not JSON.`;
        throw failure({ errorCode: 'invalid_answer', detail, sent, cause: error });
      }
      // A request that could not be built is a mistake in the calling program.
      if (!sent) throw error;
      response = undefined;
      const reason = causeOf(error);
      const { words, isUnreached, isHopeless: hopeless = false } = environment.readFailure(reason, baseUrl);
      throw failure({
        errorCode: 'connection_failed',
        detail: `No answer from ${baseUrl}: ${words}`,
        sent: !isUnreached,
        hopeless,
        cause: error,
      });
    }
  };
}

/** Returns the reason of a failure: `fetch` only says "fetch failed" and hides the reason in `cause`. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error);
