import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { HttpObserver } from '../contract/http-observer.js';
import type { PageFacts } from '../contract/page-facts.js';
import { HttpFault, type SurfaceWords } from './answers/envelope.js';
import { errorAnswers } from './answers/error-handler.js';
import type { ContractChecks } from './contract/contract-checks.js';
import { type DispatchRoute, dispatcher } from './dispatch.js';
import { docsPage, isPageShell } from './docs/docs-page.js';
import type { SurfaceRequest, SurfaceResponse } from './server/messages.js';
import type { CallerWall } from './walls/caller-wall.js';
import { type Admitted, frontWalls } from './walls/front-walls.js';

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
}

export interface AppParts {
  readonly surface: HttpSurface;
  /** The handlers by operation. */
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly checks: ContractChecks;
  readonly admitted: Admitted;
  readonly callers: CallerWall;
  /** Notified of every request; null when no part of the program observes them. */
  readonly observer: HttpObserver | null;
  report(fault: string): void;
}

/**
 * Makes the express app of a surface. A request passes the host, origin and caller walls and goes straight to its operation;
 * express routes the rest, which is the docs page.
 * @throws Error when contract, routes and handlers do not fit.
 */
export function surfaceApp({
  surface,
  handlers,
  checks,
  admitted,
  callers,
  observer,
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
  const dispatch = dispatcher({ ...surface, handlers, checks }, fail);
  const step = (request: SurfaceRequest, response: SurfaceResponse, next: () => void): void => {
    if (observer) observe(observer, request, response);
    if (!passes(request, response)) return;
    if (isPageShell(request)) next();
    else callers.admit(request, response, () => dispatch(request, response, next), fail);
  };
  app.use(step as RequestHandler);
  app.use(docsPage({ document: surface.document, title: words.title, handlers, facts: surface.pageFacts }));
  app.use((_request, _response, next) => next(new HttpFault(404, 'Not Found')));
  const failed = (error: unknown, request: SurfaceRequest, response: SurfaceResponse, _next: unknown): void =>
    fail(error, request, response);
  app.use(failed as ErrorRequestHandler);
  return app;
}

/** Reports a request to an observer when its answer is sent. */
export function observe(observer: HttpObserver, request: SurfaceRequest, response: SurfaceResponse): void {
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
