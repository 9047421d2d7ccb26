import type { Request, RequestHandler, Response } from 'express';
import type { ValidationItem } from '../contract/validation-items.js';
import { sendEnvelope } from './envelope.js';
import { jsonTrouble } from './json-trouble.js';
import { readBody } from './read-body.js';
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
export function jsonBodies(rules: BodyRules): RequestHandler {
  const takesBody = bodyRoutes(rules.routes);
  return async (request, response, next) => {
    if (!takesBody(request)) return next();
    const refusal = typeRefusal(request);
    if (refusal !== null) return sendEnvelope(response, 415, refusal);
    // Parameters mean nothing for JSON, which is UTF-8: nobody behind this wall shall think otherwise.
    request.headers['content-type'] = 'application/json';
    const limit = rules.bodyLimit(request.path);
    const bytes = await readBody(request, limit);
    if (bytes === 'gone') return;
    if (bytes === 'too large') {
      return sendEnvelope(response, 413, `The body is larger than ${limit} bytes.`);
    }
    // No bytes are no body: the contract's own wall says that it is missing.
    if (bytes.length === 0 || parseInto(request, response, bytes)) return next();
  };
}

function typeRefusal(request: Request): string | null {
  const contentType = request.headers['content-type'];
  if (contentType === undefined) return 'Content-Type is missing; send application/json.';
  if (!isJsonMediaType(contentType)) {
    return `Content-Type ${contentType.slice(0, 200)} is not JSON; send application/json.`;
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return null;
  return `Content-Encoding ${encoding.slice(0, 200)} is not read; send plain JSON.`;
}

/** @returns false when the body is no JSON, and that was answered. */
function parseInto(request: Request, response: Response, bytes: Buffer): boolean {
  const text = decode(bytes);
  if (text === null) {
    const offset = bytes.toString('utf8').indexOf('\ufffd');
    sendEnvelope(response, 422, [invalidJson({ offset, reason: 'Not UTF-8' })]);
    return false;
  }
  try {
    request.body = JSON.parse(text);
    return true;
  } catch {
    sendEnvelope(response, 422, [invalidJson(jsonTrouble(text))]);
    return false;
  }
}

/** @returns null for bytes that would be changed by reading them as text. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const invalidJson = (trouble: { offset: number; reason: string }): ValidationItem => ({
  type: 'json_invalid',
  loc: ['body', trouble.offset],
  msg: 'JSON decode error',
  input: {},
  ctx: { error: trouble.reason },
});

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
