import express, { type Express, type RequestHandler, type Response } from 'express';
import type { HttpObserver } from '../contract/http-observer.js';
import type { Json } from '../contract/runtime-document.js';
import { newHttpRequestId } from '../foundation/ids.js';
import { docsPage } from './docs-page.js';
import { sendEnvelope } from './envelope.js';
import { errorHandler } from './error-handler.js';
import { HttpFault } from './http-fault.js';
import { jsonBodies } from './json-bodies.js';
import { mount } from './mount.js';
import { observe } from './observer.js';
import { isServedHost } from './walls/host-wall.js';
import { isAllowedOrigin } from './walls/origin-wall.js';

/** One HTTP surface: its document, its routes, its handlers. */
export interface Surface {
  title: string;
  document: Json;
  routes: Parameters<typeof mount>[0];
  handlers: Readonly<Record<string, unknown>>;
  /** The largest body of a path, in bytes. */
  bodyLimit(path: string): number;
}
export interface Walls {
  allowedHosts: ReadonlySet<string>;
  allowedOrigins: ReadonlySet<string>;
  report(fault: string): void;
  /** Lets only those in who may drive this gateway. */
  caller: RequestHandler;
  /** Told of every request, where somebody wants to know. */
  observer: HttpObserver | null;
  /** The contract walls, warm by now (decision 56). */
  contract: readonly RequestHandler[];
}

export const requestIdOf = (response: Response): string => String(response.getHeader('X-Request-Id'));

/** The express app of a surface: limits, host, origin and caller walls, contract walls, handlers, error envelope. */
export function surfaceApp(surface: Surface, walls: Walls): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use(identify);
  if (walls.observer) app.use(observe(walls.observer, requestIdOf));
  app.use(plainChunks, hostAndOrigin(walls), walls.caller, jsonBodies(surface));
  app.use(docsPage(surface.document as object, surface.title));
  app.use(...walls.contract);
  app.use(mount(surface.routes, surface.handlers, requestIdOf));
  app.use((_request, _response, next) => next(new HttpFault(404, 'Not Found')));
  app.use(errorHandler(requestIdOf, walls.report));
  return app;
}

const identify: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', newHttpRequestId());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Node reads `gzip, chunked` as if `chunked` alone were there; who stands before us may see another body (decision 42). */
const plainChunks: RequestHandler = (request, response, next) => {
  const encoding = request.headers['transfer-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'chunked') return next();
  const detail = 'Transfer-Encoding is not read unless it is chunked alone.';
  return sendEnvelope(response, 400, detail, { Connection: 'close' });
};

function hostAndOrigin(walls: Walls): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers;
    if (request.httpVersion === '1.1' && countOf(request.rawHeaders, 'host') !== 1) {
      return sendEnvelope(response, 400, 'A request has exactly one Host header.', { Connection: 'close' });
    }
    if (!isServedHost(host, walls.allowedHosts)) {
      return sendEnvelope(
        response,
        421,
        `Host ${printable(host)} is not served here; start the gateway with --allowed-host to admit it.`,
      );
    }
    if (!isAllowedOrigin(origin, host ?? '', walls.allowedOrigins)) {
      return sendEnvelope(
        response,
        403,
        `Origin ${printable(origin)} is not allowed; start the gateway with --allowed-origin to admit it.`,
      );
    }
    if (origin !== undefined && walls.allowedOrigins.has(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
      response.setHeader(
        'Access-Control-Expose-Headers',
        'X-Request-Id, X-Houmao-Turn-Id, Location, Idempotency-Replayed',
      );
      if (request.method === 'OPTIONS') return preflight(response);
    }
    return next();
  };
}

function preflight(response: Response): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE');
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key');
  response.setHeader('Access-Control-Max-Age', '600');
  response.status(204).end();
}

const printable = (text: string | undefined): string => (text ?? '(none)').slice(0, 200);

/** @param raw names and values by turns. */
const countOf = (raw: readonly string[], name: string): number =>
  raw.filter((text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name)
    .length;
