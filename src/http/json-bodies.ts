import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { sendEnvelope } from './error-handler.js';
import { isJsonMediaType } from './walls/media-type.js';

/** Which routes take a body, and how large. */
export interface BodyRules {
  routes: Readonly<
    Record<string, { readonly method: string; readonly path: string; readonly body: boolean }>
  >;
  /** The largest body of a path, in bytes. */
  bodyLimit(path: string): number;
}

/**
 * Reads the body where an operation has one: only JSON, only as much as the path allows, never compressed. Anything
 * else goes on unread, so that a wrong path or method is answered as such.
 */
export function jsonBodies(rules: BodyRules): RequestHandler[] {
  const takesBody = bodyRoutes(rules.routes);
  const parsers = new Map<number, RequestHandler>();
  const parserFor = (limit: number): RequestHandler => {
    const parser =
      parsers.get(limit) ?? express.json({ limit, strict: false, inflate: false, type: () => true, verify });
    parsers.set(limit, parser);
    return parser;
  };
  const onlyJson: RequestHandler = (request, response, next) => {
    if (!takesBody(request)) return next();
    const contentType = request.headers['content-type'];
    if (isJsonMediaType(contentType)) {
      // Parameters mean nothing for JSON, which is UTF-8: nobody behind this wall shall think otherwise.
      request.headers['content-type'] = 'application/json';
      return parserFor(rules.bodyLimit(request.path))(request, response, next);
    }
    const said = contentType === undefined ? 'is missing' : `${contentType.slice(0, 200)} is not JSON`;
    return sendEnvelope(response, 415, `Content-Type ${said}; send application/json.`, {
      Connection: 'close',
    });
  };
  return [onlyJson];
}

/** Refuses bytes that would be changed by reading them as text, and nothing at all, which would be read as `{}`. */
function verify(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (bytes.length === 0) throw Object.assign(new Error(), { type: 'body.empty' });
  if (!isUtf8(bytes))
    throw Object.assign(new Error(String(bytes.toString('utf8').indexOf('\ufffd'))), {
      type: 'body.not-utf8',
    });
}

function bodyRoutes(routes: BodyRules['routes']): (request: Request) => boolean {
  const withBody = Object.values(routes).filter((route) => route.body);
  const fixed = new Set(withBody.map((route) => `${route.method} ${route.path}`));
  const patterns = withBody
    .filter((route) => route.path.includes('{'))
    .map((route) => ({
      method: route.method,
      path: new RegExp(`^${route.path.replace(/\{[^{}]+\}/g, '[^/]+')}$`),
    }));
  return (request) =>
    fixed.has(`${request.method} ${request.path}`) ||
    patterns.some(({ method, path }) => method === request.method && path.test(request.path));
}
