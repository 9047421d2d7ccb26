import createClient from 'openapi-fetch';
import { fillPath } from './fill-path.js';
import { GatewayError } from './gateway-error.js';
import type { paths } from './generated/gateway.js';
import { type Stop, timeoutOf, withinLimits } from './limits.js';
import type { CallLimits, OperationId, Route } from './operation.js';
import type { FindToken } from './token/token.js';
import type { Transport } from './transport/transport.js';

/** One call as openapi-fetch takes it. */
export interface Call extends CallLimits {
  readonly operationId: OperationId | null;
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

/** What openapi-fetch answers, its types taken away: each door gives them back. */
export interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export type Send = (call: Call) => Promise<Answer>;

/** The way both doors take: one client of openapi-fetch, with time limits and typed failures around it. */
export function connect(
  baseUrl: string,
  transport: Transport,
  findToken: FindToken,
  defaultTimeoutMs: number,
): Send {
  const core = createClient<paths>({ baseUrl, Request: transport.Request, pathSerializer: fillPath });
  const request = core.request as unknown as (method: string, path: string, init: object) => Promise<Answer>;

  return async ({ operationId, method, path, init, signal, timeoutMs }) => {
    const limitMs = timeoutOf({ timeoutMs }, defaultTimeoutMs) + waitMs(init);
    const failure = (errorCode: string, detail: string, cause?: unknown, response?: Response) =>
      new GatewayError({
        status: response?.status ?? null,
        httpRequestId: response?.headers.get('X-Request-Id') ?? null,
        errorCode,
        detail,
        operationId,
        cause,
      });
    const stopped = (stop: Stop) =>
      stop.kind === 'timeout'
        ? failure('timeout', `No answer from ${baseUrl} within ${limitMs} ms.`)
        : failure('aborted', 'The caller aborted the call.', stop.reason);

    let sent = false;
    let response: Response | undefined;
    const fetch: Transport['fetch'] = async (outgoing) => {
      if (!outgoing.headers.has('Authorization')) {
        const token = await findToken(baseUrl);
        if (token !== null) outgoing.headers.set('Authorization', `Bearer ${token}`);
      }
      sent = true;
      response = await (init.fetch ?? transport.fetch)(outgoing);
      return response;
    };
    const attempt = async (limit: AbortSignal) => {
      try {
        return await request(method, path, { ...init, signal: limit, fetch });
      } catch (error) {
        // A request that could not even be built is a mistake in the calling program.
        if (!sent || limit.aborted) throw error;
        if (response && error instanceof SyntaxError) {
          throw failure(
            'invalid_answer',
            `${baseUrl} answered with something that is not JSON.`,
            error,
            response,
          );
        }
        throw failure('connection_failed', `No answer from ${baseUrl}: ${reasonOf(error)}.`, error);
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

/** `fetch` says "fetch failed" and hides the reason in `cause`, sometimes with a code and no message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? String(cause.code) : cause.name;
  return cause.message || code;
}
