import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { CallFollowers, CallTracer, HttpObserver } from '../contract/http-observer.js';
import type { PageFacts } from '../contract/page-facts.js';
import type { LoadScript } from '../foundation/cached-script.js';
import { HttpFault, type SurfaceWords } from './answers/envelope.js';
import { errorAnswers } from './answers/error-handler.js';
import { ContractChecks, type ResponsePolicy } from './contract/contract-checks.js';
import {
  compiledValidators,
  compilesAll,
  preparedContract,
  preparedFiles,
} from './contract/prepared-contract.js';
import { type DispatchRoute, dispatcher } from './dispatch.js';
import { docsPage, isPageShell } from './docs/docs-page.js';
import {
  HoldingServer,
  listen,
  type SurfaceRequest,
  type SurfaceResponse,
  stopServer,
} from './server/server.js';
import { linuxSocketTables } from './walls/socket-owner.js';
import { type Admitted, type CallerPolicy, CallerWall, frontWalls } from './walls/walls.js';

// The path of a request. A wall answers what it refuses, and nothing behind it runs:
//
//   server/server.ts                the connection and its limits, the request and the response of express with an id and the
//                                   signal that ends waits; requests wait here until there are handlers
//   walls/walls.ts                  framing, Host, Origin
//   docs/docs-page.ts               answers for the page itself, which is for every caller; all else goes on
//   walls/walls.ts                  which user of this machine calls, or which token
//   `elsewhere` of BoundSurface     another program that answers instead
//   dispatch.ts                     path → operation, and what follows:
//     body/json-body.ts               the body, up to its limit
//     contract/contract-checks.ts     does the request follow the contract? If not: 422
//     the handler                     gateway/handlers/, server/handlers/
//     contract/contract-checks.ts     does the answer? If not, the fault is reported
//     answers/                        the answer, or event after event; errors by error-handler.ts
//   `beside` of BoundSurface        paths of another protocol, behind the same walls
//   docs/docs-page.ts               paths outside of the contract: the rest of the page, else 404

/** One HTTP surface: everything that distinguishes it from another. */
export interface HttpSurface {
  readonly words: SurfaceWords;
  /** The bundled OpenAPI document, as JSON. */
  readonly document: () => string;
  /**
   * The folder with the files that the build prepared from the document (`dist/validators/<surface>`); null when it prepared
   * none.
   */
  readonly prepared: string | null;
  readonly routes: Readonly<Record<string, DispatchRoute>>;
  /** Headers of its answers that pages of admitted origins may read, besides `X-Request-Id`. */
  readonly exposedHeaders: readonly string[];
  /** The largest body of a path, in bytes. */
  readonly bodyLimit: (path: string) => number;
  /** The live values and refusals for the page; null when it shows the samples of the document. */
  readonly pageFacts: PageFacts | null;
  /** Reads the HTML that the build made of the document (`dist/page/<surface>.html`), which the page shows first. */
  readonly outline: () => string;
  /** Whether the console is at its `/`. */
  readonly hasConsole: boolean;
}

/** The time that answers under way get when the server stops, after the work they wait for has ended. */
const drainMilliseconds = 3000;
/** The delay before warm-up, so that requests right after the start are answered first. */
const warmUpDelayMilliseconds = 50;
/** The pause between two operations, so that callers hardly notice the warm-up. */
const warmUpPauseMilliseconds = 5;

export interface ServeOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The most connections at once; null for no limit. */
  readonly maxConnections: number | null;
  readonly callers: CallerPolicy;
  readonly admitted: Admitted;
  /** Whether an answer that breaks the contract is thrown, as tests need it; a release sends and reports it. */
  readonly strictAnswers: boolean;
  /** Loads the files of the build. */
  readonly load: LoadScript;
  /** Receives each internal fault. */
  report(fault: string): void;
}

/** Answers the requests of a path that is not of the contract, after the walls, for example those of another protocol. */
export type AnswerBeside = (request: Request, response: Response) => Promise<void>;

/**
 * Looks, before an operation does, whether another program is to answer a request; null where it is not. It rejects with the fault
 * that the caller gets.
 */
export type Elsewhere = (request: Request) => Promise<AnswerBeside | null>;

/** A surface whose port is taken. Requests wait until there are handlers to answer them. */
export interface BoundSurface {
  readonly port: number;
  /**
   * Answers the waiting requests, and all that come from now on.
   * @param handlers by operation. @param beside by path. @param elsewhere left out, every request is answered here.
   */
  answerWith(
    handlers: Readonly<Record<string, unknown>>,
    observer: HttpObserver | null,
    followers?: CallFollowers,
    beside?: Readonly<Record<string, AnswerBeside>>,
    elsewhere?: Elsewhere | null,
  ): void;
  /**
   * Takes no more connections and no new work, lets every answer under way finish, and closes each connection with its last
   * answer.
   * @param work ends the waits of those answers, while reading still works.
   */
  stop(work: () => Promise<void>): Promise<void>;
  /** Gives the port back; no request was answered. */
  abandon(): void;
}

/**
 * Binds a surface before anything else of its program begins, so that a taken port changes nothing.
 * @throws the system's error, such as EADDRINUSE, or Error when the contract contradicts itself.
 */
export async function bindSurface(surface: HttpSurface, options: ServeOptions): Promise<BoundSurface> {
  const { report } = options;
  const policy: ResponsePolicy = options.strictAnswers ? { kind: 'throw' } : { kind: 'report', report };
  const checks = checksOf(surface, policy, options.load);
  const holding = new HoldingServer();
  const { bound } = holding;
  const { server } = bound;
  if (options.maxConnections !== null) server.maxConnections = options.maxConnections;
  const callers = new CallerWall(options.callers, linuxSocketTables(), surface.words);
  callers.watch(server);
  const port = await listen(server, options.host, options.port);
  const warming = new AbortController();
  const abandon = (): void => {
    warming.abort();
    server.closeAllConnections();
    server.close();
  };
  return {
    port,
    answerWith(handlers, observer, { answered, tracer = null } = {}, beside = {}, elsewhere = null) {
      const { admitted } = options;
      if (answered)
        bound.underWay.ended = (response) => {
          if (response.headersSent) answered((response as SurfaceResponse).operationId, response.statusCode);
        };
      holding.answerWith(
        surfaceApp({
          surface,
          handlers,
          beside,
          elsewhere,
          checks,
          admitted,
          callers,
          observer,
          tracer,
          report,
        }),
      );
      warmUp(checks, warming.signal).catch((error: Error) => {
        if (!warming.signal.aborted) report(`the contract's checks cannot be built: ${error.message}`);
      });
    },
    stop(work) {
      warming.abort();
      return stopServer(bound, work, drainMilliseconds);
    },
    abandon,
  };
}

function checksOf(surface: HttpSurface, policy: ResponsePolicy, load: LoadScript): ContractChecks {
  const { prepared } = surface;
  const contract = preparedContract(surface.document(), prepared);
  return new ContractChecks(
    contract,
    policy,
    prepared === null ? compilesAll : compiledValidators(join(prepared, preparedFiles.validators), load),
  );
}

/**
 * Builds the checks of every operation while the surface already answers. A request for an operation whose checks do not exist
 * yet builds them itself.
 */
async function warmUp(checks: ContractChecks, signal: AbortSignal): Promise<void> {
  const waits = { ref: false, signal };
  await setTimeout(warmUpDelayMilliseconds, undefined, waits);
  for (const [method, path] of checks.all()) {
    await setTimeout(warmUpPauseMilliseconds, undefined, waits);
    checks.operation(method, path).prepare();
  }
}

interface AppParts {
  readonly surface: HttpSurface;
  /** The handlers by operation. */
  readonly handlers: Readonly<Record<string, unknown>>;
  /** The answers to paths that are not of the contract. */
  readonly beside: Readonly<Record<string, AnswerBeside>>;
  readonly elsewhere: Elsewhere | null;
  readonly checks: ContractChecks;
  readonly admitted: Admitted;
  readonly callers: CallerWall;
  /** Notified of every request; null when no part of the program observes them. */
  readonly observer: HttpObserver | null;
  /** Follows every call of an operation; null when calls are not traced. */
  readonly tracer: CallTracer | null;
  report(fault: string): void;
}

/**
 * Makes the express app of a surface. A request passes the host, origin and caller walls and goes straight to its operation;
 * express routes the rest, which is the docs page.
 * @throws Error when contract, routes and handlers do not fit.
 */
function surfaceApp({
  surface,
  handlers,
  beside,
  elsewhere,
  checks,
  admitted,
  callers,
  observer,
  tracer,
  report,
}: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  const { words } = surface;
  const fail = errorAnswers(words, report);
  const passes = frontWalls(words, admitted, {
    sent: [...new Set(Object.values(surface.routes).flatMap(({ headerParams }) => headerParams))],
    read: surface.exposedHeaders,
  });
  const dispatch = dispatcher({ ...surface, handlers, checks, tracer }, fail);
  const answer = elsewhere === null ? dispatch : dispatchUnless(elsewhere, dispatch, fail);
  const step = (request: SurfaceRequest, response: SurfaceResponse, next: () => void): void => {
    if (observer) observe(observer, request, response);
    if (!passes(request, response)) return;
    if (isPageShell(request)) next();
    else callers.admit(request, response, () => answer(request, response, next), fail);
  };
  app.use(step as RequestHandler);
  for (const [path, answer] of Object.entries(beside))
    app.all(path, (request, response, next) => answer(request, response).catch(next));
  const { document, outline, pageFacts: facts, hasConsole } = surface;
  app.use(docsPage({ document, title: words.title, outline, handlers, facts, hasConsole }));
  app.use((_request, _response, next) => next(new HttpFault(404, 'Not Found')));
  const failed = (error: unknown, request: SurfaceRequest, response: SurfaceResponse, _next: unknown): void =>
    fail(error, request, response);
  app.use(failed as ErrorRequestHandler);
  return app;
}

/** Makes the step that has requests answered elsewhere, where they are to be, and the others by their operation. */
const dispatchUnless =
  (
    elsewhere: Elsewhere,
    dispatch: ReturnType<typeof dispatcher>,
    fail: ReturnType<typeof errorAnswers>,
  ): ReturnType<typeof dispatcher> =>
  (request, response, next) => {
    elsewhere(request)
      .then((answer) => (answer === null ? dispatch(request, response, next) : answer(request, response)))
      .catch((error: unknown) => fail(error, request, response));
  };

/** Reports a request to an observer when its answer is sent. */
function observe(observer: HttpObserver, request: SurfaceRequest, response: SurfaceResponse): void {
  const begun = performance.now();
  const { method, path } = request;
  response.once('finish', () => {
    const answered = {
      method,
      path,
      status: response.statusCode,
      durationMs: Math.round(performance.now() - begun),
      requestId: response.requestId,
    };
    if (response.invalid) observer.invalid(answered, response.invalid);
    if (response.faultClass !== null) observer.failed(answered, response.faultClass);
    else observer.answered(answered);
  });
}
