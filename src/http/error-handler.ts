import type { ErrorRequestHandler, Request, Response } from 'express';
import { type RequestParts, type SchemaError, toValidationItems, type ValidationItem } from '../contract/validation-items.js';
import type { ValidatorError } from './eov/keep-schema-errors.js';
import { HttpFault } from './http-fault.js';

/** Sends a body without express-openapi-validator looking at it: these answers are not an operation's own. */
export function sendEnvelope(response: Response, status: number, detail: string | ValidationItem[], headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(JSON.stringify({ detail }));
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

interface BodyParserError {
  type?: string;
  status?: number;
  limit?: number;
  message: string;
  headers?: Record<string, string>;
}

/**
 * Every error in the envelope, none with a path, a stack or the name of a library (decisions 3 and 43).
 * @param report takes what went wrong inside, with the request id.
 */
export function errorHandler(
  ruleAt: (schemaPath: string) => string | null,
  requestIdOf: (response: Response) => string,
  report: (fault: string) => void,
): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof HttpFault) return sendEnvelope(response, error.status, error.message, error.headers);
    const known = error as BodyParserError & Partial<ValidatorError>;
    if (known.type !== undefined) return bodyError(known, request, response);
    if (known.status === 400 && Array.isArray(known.errors)) {
      const items = itemsOf(known as ValidatorError, request, ruleAt);
      if (items.length > 0) return sendEnvelope(response, 422, items);
    }
    if (known.status === 404) return sendEnvelope(response, 404, 'Not Found');
    if (known.status === 405) return sendEnvelope(response, 405, 'Method Not Allowed', { Allow: known.headers?.['Allow'] ?? '' });
    if (known.status === 415) return sendEnvelope(response, 415, 'Content-Type is not JSON; send application/json.');
    if (known.status === 400) return sendEnvelope(response, 400, 'Bad Request');
    const requestId = requestIdOf(response);
    report(`request ${requestId} ${request.method} ${request.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return sendEnvelope(response, 500, `Internal fault; see request ${requestId} in the gateway log.`);
  };
}

function bodyError(error: BodyParserError, request: Request, response: Response): void {
  switch (error.type) {
    case 'entity.parse.failed': {
      const { offset, reason } = parseTrouble(error.message);
      return sendEnvelope(response, 422, [
        { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error: reason } },
      ]);
    }
    case 'entity.too.large':
      return sendEnvelope(response, 413, `The body is larger than ${error.limit} bytes.`, { Connection: 'close' });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return sendEnvelope(response, 415, `Content-Encoding ${request.headers['content-encoding'] ?? ''} is not read; send plain JSON.`);
    case 'request.aborted':
    case 'request.size.invalid':
      return sendEnvelope(response, 400, 'The body does not have the length it announced.', { Connection: 'close' });
    default:
      return sendEnvelope(response, error.status ?? 400, 'Bad Request');
  }
}

/** Where the parser stopped, and why, without its own wording of the text around. */
function parseTrouble(message: string): { offset: number; reason: string } {
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
  const reason = /Unexpected end/.test(message) ? 'Unexpected end of the text' : `Not JSON at character ${offset}`;
  return { offset, reason };
}

function itemsOf(error: ValidatorError, request: Request & { openapi?: { pathParams?: unknown } }, ruleAt: (schemaPath: string) => string | null): ValidationItem[] {
  const parts: RequestParts = {
    body: request.body,
    query: request.query,
    path: request.openapi?.pathParams ?? request.params,
    header: request.headers,
  };
  return toValidationItems(error.errors.map(toSchemaError), parts, ruleAt);
}

/** An entry without ajv's error behind it comes from the validator's own checks: an unknown query parameter, a missing body. */
function toSchemaError(entry: ValidatorError['errors'][number]): SchemaError {
  const path = entry.path === '' ? '/body' : entry.path;
  if (entry.schemaError) {
    const { keyword, params, schemaPath, message } = entry.schemaError;
    return { keyword, params, schemaPath, message, instancePath: entry.schemaError.instancePath || path };
  }
  const query = /^\/query\/(.+)$/.exec(path);
  if (query && /^(Unknown|Query parameter)/i.test(entry.message)) {
    return { keyword: 'additionalProperties', params: { additionalProperty: query[1] }, schemaPath: '', instancePath: '/query' };
  }
  return { keyword: 'x-other', params: {}, schemaPath: '', instancePath: path, message: entry.message };
}
