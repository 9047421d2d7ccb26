import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { newHttpRequestId } from '../foundation/ids.js';
import { ruleFinder } from '../contract/rule-texts.js';
import { type Json, runtimeDocument } from '../contract/runtime-document.js';
import { contractWalls, type ResponsePolicy } from './contract-walls.js';
import { docsPage } from './docs-page.js';
import { errorHandler, sendEnvelope } from './error-handler.js';
import { HttpFault } from './http-fault.js';
import { mount } from './mount.js';
import { isServedHost } from './walls/host-wall.js';
import { isJsonMediaType } from './walls/media-type.js';
import { isAllowedOrigin } from './walls/origin-wall.js';

/** One HTTP surface: its document, its routes, its handlers. */
export interface Surface {
  title: string;
  document: Json;
  routes: Parameters<typeof mount>[0];
  handlers: Readonly<Record<string, unknown>>;
  /** Whether a path belongs to the contract (and not to the docs page). */
  isOurs(path: string): boolean;
  /** The largest body of a path, in bytes. */
  bodyLimit(path: string): number;
}
export interface Walls {
  allowedHosts: ReadonlySet<string>;
  allowedOrigins: ReadonlySet<string>;
  responses: ResponsePolicy;
  report(fault: string): void;
}

export const requestIdOf = (response: Response): string => String(response.getHeader('X-Request-Id'));

/** What warming needs: the same walls, with handlers that do nothing. */
export interface SurfaceApp {
  app: Express;
  walls: RequestHandler[];
}

/** The express app of a surface: limits, host and origin walls, contract walls, handlers, error envelope. */
export function surfaceApp(surface: Surface, walls: Walls): SurfaceApp {
  const contract = contractWalls(surface.document, surface.isOurs, walls.responses);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use(identify, hostAndOrigin(walls), ...bodies(surface));
  app.use(docsPage(surface.document as object, surface.title));
  app.use(...contract);
  app.use(mount(surface.routes, surface.handlers, requestIdOf));
  app.use((_request, _response, next) => next(new HttpFault(404, 'Not Found')));
  app.use(errorHandler(ruleFinder(runtimeDocument(surface.document)), requestIdOf, walls.report));
  return { app, walls: contract };
}

const identify: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', newHttpRequestId());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  next();
};

function hostAndOrigin(walls: Walls): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers;
    if (!isServedHost(host, walls.allowedHosts)) {
      return sendEnvelope(response, 421, `Host ${printable(host)} is not served here; start the gateway with --allowed-host to admit it.`);
    }
    if (!isAllowedOrigin(origin, host ?? '', walls.allowedOrigins)) {
      return sendEnvelope(response, 403, `Origin ${printable(origin)} is not allowed; start the gateway with --allowed-origin to admit it.`);
    }
    if (origin !== undefined && walls.allowedOrigins.has(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
      response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, X-Houmao-Turn-Id, Location, Idempotency-Replayed');
      if (request.method === 'OPTIONS') return preflight(response);
    }
    return next();
  };
}

function preflight(response: Response): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE');
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, Idempotency-Key');
  response.setHeader('Access-Control-Max-Age', '600');
  response.status(204).end();
}

const printable = (text: string | undefined): string => (text ?? '(none)').slice(0, 200);

const readsBody = (request: Request): boolean => request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';

/** Only JSON is read, only as much as the path allows, and never compressed. */
function bodies(surface: Surface): RequestHandler[] {
  const parsers = new Map<number, RequestHandler>();
  const parserFor = (limit: number): RequestHandler => {
    const parser = parsers.get(limit) ?? express.json({ limit, strict: false, inflate: false, type: () => true });
    parsers.set(limit, parser);
    return parser;
  };
  const onlyJson: RequestHandler = (request, response, next) => {
    if (!readsBody(request) || !surface.isOurs(request.path)) return next();
    const contentType = request.headers['content-type'];
    if (isJsonMediaType(contentType)) {
      // Parameters mean nothing for JSON, which is UTF-8: nobody behind this wall shall think otherwise.
      request.headers['content-type'] = 'application/json';
      return next();
    }
    const said = contentType === undefined ? 'is missing' : `${printable(contentType)} is not JSON`;
    return sendEnvelope(response, 415, `Content-Type ${said}; send application/json.`, { Connection: 'close' });
  };
  const parse: RequestHandler = (request, response, next) =>
    readsBody(request) && surface.isOurs(request.path) ? parserFor(surface.bodyLimit(request.path))(request, response, next) : next();
  return [onlyJson, parse];
}
