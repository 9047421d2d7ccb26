import { setImmediate } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { ValidationItem } from '../contract/validation-items.js';
import { sendEnvelope } from './envelope.js';
import { jsonTrouble } from './json-trouble.js';
import { type BodyLimits, type ReadBody, readBody } from './read-body.js';
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
    const limits = { bytes: rules.bodyLimit(request.path), ...shapeLimits };
    const body = await readBody(request, limits);
    if (body === 'gone') return;
    if ('trouble' in body) return refuse(response, body, limits);
    // No bytes are no body: the contract's own wall says that it is missing.
    if (body.text === '') return next();
    const long = body.text.length > longText;
    if (long) await setImmediate();
    const parsed = parse(body.text);
    if (long) await setImmediate();
    if (!parsed) return sendEnvelope(response, 422, [invalidJson(jsonTrouble(body.text))]);
    request.body = parsed.value;
    return next();
  };
}

/** From so many characters on, others get a turn between the steps: each takes tens of milliseconds. */
const longText = 1024 * 1024;

/** @returns null for what is no JSON. */
function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** A large body of the contract holds long texts and few values; these are far beyond any. */
const shapeLimits = { values: 5000, depth: 64 } as const;

function refuse(
  response: Response,
  { trouble, at }: Extract<ReadBody, { trouble: string }>,
  limits: BodyLimits,
): void {
  const invalid = (offset: number | null, reason: string): void =>
    sendEnvelope(response, 422, [invalidJson({ offset, reason })]);
  if (trouble === 'too large') sendEnvelope(response, 413, `The body is larger than ${limits.bytes} bytes.`);
  else if (trouble === 'too many values')
    sendEnvelope(response, 413, `The body has more than ${limits.values} values.`);
  else if (trouble === 'too deep') invalid(null, `Nested deeper than ${limits.depth} levels`);
  else invalid(at, 'Not UTF-8');
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

/** @param trouble its place is null where it was not looked for. */
const invalidJson = (trouble: { offset: number | null; reason: string }): ValidationItem => ({
  type: 'json_invalid',
  loc: trouble.offset === null ? ['body'] : ['body', trouble.offset],
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
