import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { HandlerContext } from '../contract/handler-types.js';
import { HttpFault } from './http-fault.js';

/** As much of a generated route row as mounting needs. */
interface Row {
  readonly method: string;
  readonly path: string;
  readonly headerParams: readonly string[];
  readonly body: boolean;
}
interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, unknown>;
}
type Handle = (
  context: HandlerContext<unknown>,
  reply: (status: number, body?: unknown, headers?: Record<string, unknown>) => Answer,
) => Answer | Promise<Answer>;

/** What express-openapi-validator leaves on a request it has validated. */
interface Validated {
  openapi?: { schema?: { operationId?: string }; pathParams?: Record<string, unknown> };
}

/** `/a/{b}` as path-to-regexp writes it; what it would read as syntax is quoted. */
export const expressPath = (path: string): string =>
  path
    .split(/(\{[^{}]+\})/)
    .map((part, index) =>
      index % 2 ? `:${JSON.stringify(part.slice(1, -1))}` : part.replace(/[()[\]?+!*:\\]/g, '\\$&'),
    )
    .join('');

/** Express takes the first match: literal segments come before parameters. */
const order = (path: string): string => path.replace(/\{[^{}]+\}/g, '\uffff');

/**
 * Binds handlers to routes. A request that was not validated for exactly this operation never reaches its handler,
 * whatever tricks its path plays.
 * @param requestIdOf the `X-Request-Id` of a request.
 */
export function mount(
  routes: Readonly<Record<string, Row>>,
  handlers: Readonly<Record<string, unknown>>,
  requestIdOf: (response: Response) => string,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const rows = Object.entries(routes).sort(([, a], [, b]) => (order(a.path) < order(b.path) ? -1 : 1));
  for (const [operationId, row] of rows) {
    const method = row.method.toLowerCase() as 'get' | 'put' | 'post' | 'delete';
    router[method](
      expressPath(row.path),
      bind(operationId, row, handlers[operationId] as Handle, requestIdOf),
    );
  }
  return router;
}

function bind(
  operationId: string,
  row: Row,
  handle: Handle,
  requestIdOf: (response: Response) => string,
): RequestHandler {
  const names = row.headerParams.map((name) => [name, name.toLowerCase()] as const);
  const reply = (status: number, body?: unknown, headers?: Record<string, unknown>): Answer => ({
    status,
    body,
    ...(headers ? { headers } : {}),
  });
  return async (request: Request & Validated, response: Response, next: NextFunction) => {
    if (request.openapi?.schema?.operationId !== operationId) return next(new HttpFault(404, 'Not Found'));
    const headers: Record<string, unknown> = {};
    for (const [name, lower] of names)
      if (request.headers[lower] !== undefined) headers[name] = request.headers[lower];
    const context = {
      path: request.openapi.pathParams ?? {},
      query: request.query,
      headers,
      body: request.body as unknown,
      // Made when a handler asks for it: few wait for anything.
      get signal() {
        return goneSignal(response);
      },
      httpRequestId: requestIdOf(response),
    };
    const answer = await handle(context as HandlerContext<unknown>, reply);
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      if (value !== undefined) response.setHeader(name, String(value));
    response.status(answer.status);
    if (answer.body === undefined) response.end();
    else response.json(answer.body);
  };
}

/** Aborted when the caller goes away before its answer. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
