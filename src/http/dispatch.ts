import { EventStream } from '../contract/event-stream.js';
import { type HandlerContext, StreamedText } from '../contract/handler-types.js';
import type { CallTracer } from '../contract/http-observer.js';
import { errorCodeHeader } from '../contract/refusals.js';
import { HttpFault, type SurfaceWords } from './answers/envelope.js';
import { sendEvents, sendText } from './answers/streams.js';
import { readJson } from './body/json-body.js';
import type { ContractChecks, OperationChecks } from './contract/contract-checks.js';
import type { SurfaceRequest, SurfaceResponse } from './server/server.js';

/** The part of a generated route row that the dispatch needs. */
export interface DispatchRoute {
  readonly method: string;
  readonly path: string;
  readonly headerParams: readonly string[];
  readonly body: boolean;
}
interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, unknown>;
}
type Reply = (status: number, body?: unknown, headers?: Record<string, unknown>) => Answer;
type Handle = (context: HandlerContext<unknown>, reply: Reply) => Answer | Promise<Answer>;

interface Operation {
  readonly handle: Handle;
  readonly checks: OperationChecks;
  /** The names in the contract and in Node. */
  readonly headers: readonly (readonly [name: string, lower: string])[];
  /** The largest body, in bytes; null for an operation without a body. */
  readonly bodyLimit: number | null;
}
interface Route {
  readonly parameters: readonly string[];
  readonly pattern: RegExp;
  readonly operations: Map<string, Operation>;
  readonly allow: string;
}

type Fail = (error: unknown, request: SurfaceRequest, response: SurfaceResponse) => void;

export interface Dispatched {
  readonly words: SurfaceWords;
  readonly routes: Readonly<Record<string, DispatchRoute>>;
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly checks: ContractChecks;
  /** Left out, calls are not traced. */
  readonly tracer?: CallTracer | null;
  /** The largest body of a path, in bytes. */
  readonly bodyLimit: (path: string) => number;
}

/**
 * Makes the step that takes a request to its operation: it reads the body, checks it, calls the handler, checks the answer and
 * sends it. A request that was not checked for exactly this operation never reaches its handler, whatever its path looks like.
 * @returns a step that calls `next` for a path that the contract does not have.
 * @throws Error when contract, routes and handlers do not fit.
 */
export function dispatcher(
  surface: Dispatched,
  fail: Fail,
): (request: SurfaceRequest, response: SurfaceResponse, next: () => void) => void {
  const { fixed, patterned } = routesOf(surface);
  const { tracer = null } = surface;

  const perform = (
    route: Route,
    values: readonly string[],
    operation: Operation | undefined,
    request: SurfaceRequest,
    response: SurfaceResponse,
  ): void => {
    const traced = operation && tracer?.begin(operation.checks.operationId, tracedPart(request));
    if (!traced) {
      performNow(route, values, operation, request, response);
      return;
    }
    response.once('close', () => traced.end(response.headersSent ? response.statusCode : null));
    traced.run(() => performNow(route, values, operation, request, response));
  };

  const performNow: typeof perform = (route, values, operation, request, response) => {
    try {
      request.params = parametersOf(route, values);
      if (!operation) throw new HttpFault(405, 'Method Not Allowed', { Allow: route.allow });
      response.operationId = operation.checks.operationId;
      if (response.stopping && !isSafe(request.method))
        throw new HttpFault(503, `The ${surface.words.noun} is stopping and takes nothing new.`, {
          'Retry-After': '1',
        });
      operation.checks.request(request);
      request.bodyText = '';
      const context = new RequestContext(request, response, declaredHeaders(operation, request));
      const answer = operation.handle(context, reply);
      if (answer instanceof Promise)
        answer
          .then((later) => send(operation, later, request, response, fail))
          .catch((error) => fail(error, request, response));
      else send(operation, answer, request, response, fail);
    } catch (error) {
      fail(error, request, response);
    }
  };

  return (request, response, next) => {
    const { originalUrl, method } = request;
    const query = originalUrl.indexOf('?');
    const path = query < 0 ? originalUrl : originalUrl.slice(0, query);
    let route = fixed.get(path);
    let values: readonly string[] = noValues;
    for (let index = 0; route === undefined && index < patterned.length; index += 1) {
      const found = patterned[index]?.pattern.exec(path);
      if (!found) continue;
      route = patterned[index];
      values = found;
    }
    if (route === undefined) {
      next();
      return;
    }
    const operation = route.operations.get(method === 'HEAD' ? 'GET' : method);
    if (!operation || operation.bodyLimit === null) {
      perform(route, values, operation, request, response);
      return;
    }
    if (!operation.checks.needsBody && hasNoBody(request)) {
      perform(route, values, operation, request, response);
      return;
    }
    const found = route;
    readJson(
      request,
      response,
      operation.bodyLimit,
      () => perform(found, values, operation, request, response),
      (error) => fail(error, request, response),
    );
  };
}

const tracedPart = ({ method, path, headers }: SurfaceRequest) => ({
  method,
  path,
  traceParent: typeof headers.traceparent === 'string' ? headers.traceparent : null,
});

const reply: Reply = (status, body, headers) => ({ status, body, headers: headers ?? noHeaders });
const noHeaders: Record<string, unknown> = {};
const noValues: readonly string[] = [];

/** Returns whether a call has no body; the Content-Type of such a call is ignored. */
const hasNoBody = ({ headers }: SurfaceRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** Returns whether a method changes nothing; such calls are answered for as long as a stopping server can. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** @param values the match of the route's pattern. @throws HttpFault for a value that cannot be decoded. */
function parametersOf({ parameters }: Route, values: readonly string[]): Record<string, string> {
  const decoded: Record<string, string> = {};
  try {
    for (const [index, name] of parameters.entries())
      decoded[name] = decodeURIComponent(values[index + 1] ?? '');
  } catch {
    throw new HttpFault(400, 'Bad Request');
  }
  return decoded;
}

function declaredHeaders({ headers }: Operation, request: SurfaceRequest): Record<string, unknown> {
  const declared: Record<string, unknown> = {};
  for (const [name, lower] of headers) {
    const value = request.headers[lower];
    if (value !== undefined) declared[name] = value;
  }
  return declared;
}

/** @throws when the contract has no such answer and the policy is to throw. */
function send(
  { checks }: Operation,
  { status, body, headers: given }: Answer,
  request: SurfaceRequest,
  response: SurfaceResponse,
  fail: Fail,
): void {
  if (body instanceof StreamedText) {
    try {
      checks.text(status, given);
    } catch (error) {
      body.source.destroy();
      throw error;
    }
    sendText(status, body, given, response).catch((error) => fail(error, request, response));
    return;
  }
  if (body instanceof EventStream) {
    sendEvents(checks, status, body, given, response).catch((error) => fail(error, request, response));
    return;
  }
  checks.answer(status, body);
  const headers = status < 400 ? given : withErrorCode(checks, status, body, given);
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = request.headers;
  if (body !== undefined && noneMatch === undefined && modifiedSince === undefined) {
    response.sendJson(status, JSON.stringify(body), headers);
    return;
  }
  // Express evaluates the conditions.
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) response.setHeader(name, String(value));
  response.status(status);
  if (body === undefined) response.end();
  else response.json(body);
}

function withErrorCode(
  checks: Operation['checks'],
  status: number,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const code = checks.errorCode(status, body, headers[errorCodeHeader]);
  return code === null ? headers : { ...headers, [errorCodeHeader]: code };
}

function routesOf(surface: Dispatched): { fixed: ReadonlyMap<string, Route>; patterned: readonly Route[] } {
  const routes = new Map<string, Route>();
  for (const [operationId, row] of Object.entries(surface.routes)) {
    const route = routes.get(row.path) ?? routeOf(row.path, surface.checks);
    routes.set(row.path, route);
    const checks = surface.checks.operation(row.method, row.path);
    const handle = surface.handlers[operationId];
    if (checks.operationId !== operationId || typeof handle !== 'function')
      throw new Error(
        `${row.method} ${row.path} is ${checks.operationId} in the contract, ${operationId} here.`,
      );
    route.operations.set(row.method, {
      handle: handle as Handle,
      checks,
      headers: row.headerParams.map((name) => [name, name.toLowerCase()] as const),
      bodyLimit: row.body ? surface.bodyLimit(row.path) : null,
    });
  }
  const isFixed = ([, { parameters }]: [string, Route]): boolean => parameters.length === 0;
  const all = [...routes];
  return {
    fixed: new Map(all.filter(isFixed)),
    // Literal segments come before parameters.
    patterned: all
      .filter((one) => !isFixed(one))
      .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1))
      .map(([, route]) => route),
  };
}

const order = (path: string): string => path.replace(/\{[^{}]+\}/g, '\uffff');

function routeOf(path: string, checks: ContractChecks): Route {
  const parts = path.split(/\{([^{}]+)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  return {
    parameters: parts.filter((_, index) => index % 2 === 1),
    pattern: new RegExp(
      `^${literals.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([^/]+)')}$`,
    ),
    operations: new Map(),
    // A path that serves GET also serves HEAD.
    allow: checks
      .methodsOf(path)
      .map((method) => (method === 'GET' ? 'GET, HEAD' : method))
      .join(', '),
  };
}

/**
 * The context of one call, as its handler gets it. A class with a getter: V8 makes a hidden class for each object literal that
 * has one, which keeps the request alive until a full collection.
 */
class RequestContext implements HandlerContext<unknown> {
  readonly path: Record<never, never>;
  readonly query: Record<never, never>;
  readonly headers: Record<never, never>;
  readonly body: undefined;
  readonly byOwner: boolean;
  readonly httpRequestId: string;
  readonly #response: SurfaceResponse;

  /** @param headers those that the contract declares, under its names. */
  constructor(request: SurfaceRequest, response: SurfaceResponse, headers: object) {
    this.path = request.params;
    this.query = request.query;
    this.headers = headers;
    this.body = request.body;
    this.byOwner = request.byOwner ?? false;
    this.httpRequestId = response.requestId;
    this.#response = response;
  }

  /** The signal is made at the first access, since few handlers wait for anything. */
  get signal(): AbortSignal {
    return this.#response.waitSignal;
  }

  get streams(): boolean {
    // Generated clients name both, the page first.
    return this.#response.req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
  }
}
