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
  readonly middleware?: readonly Middleware[] | undefined;
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
  /** Null where calls must not name themselves: a page's would not be let through. */
  readonly userAgent: string | null;
  /** Of every call, before that of the call itself. */
  readonly middleware: readonly Middleware[];
}

/** What both kinds of methods use: one client of openapi-fetch, with typed failures around it. */
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
      // Without a response a hook answered in place of the request.
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

/** `fetch` says "fetch failed" and hides the reason in `cause`. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error);
