import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import {
  type RequestParts,
  type SchemaError,
  toValidationItems,
  type ValidationItem,
} from '../contract/validation-items.js';
import type { ValidatorError } from './eov/keep-schema-errors.js';
import { HttpFault } from './http-fault.js';
import { jsonTrouble } from './json-trouble.js';

/** Sends a body without express-openapi-validator looking at it: these answers are not an operation's own. */
export function sendEnvelope(
  response: Response,
  status: number,
  detail: string | ValidationItem[],
  headers: Readonly<Record<string, string>> = {},
): void {
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
  /** What was to be parsed. */
  body?: unknown;
  message: string;
  headers?: Record<string, string>;
}

/**
 * Every error in the envelope, none with a path, a stack or the name of a library (decisions 3 and 43).
 * @param report takes what went wrong inside, with the request id.
 */
export function errorHandler(
  requestIdOf: (response: Response) => string,
  report: (fault: string) => void,
): ErrorRequestHandler {
  const fault = (error: unknown, request: Request, response: Response): void => {
    const requestId = requestIdOf(response);
    report(
      `request ${requestId} ${request.method} ${request.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    sendEnvelope(response, 500, `Internal fault; see request ${requestId} in the gateway log.`);
  };
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    try {
      if (!answerKnown(error, request, response)) fault(error, request, response);
    } catch (second) {
      // Express would answer this one itself, with a page and the stack in it.
      fault(second, request, response);
    }
  };
}

/** @returns false when the error is a fault of ours. */
function answerKnown(error: unknown, request: Request, response: Response): boolean {
  const answer = (
    status: number,
    detail: string | ValidationItem[],
    headers?: Readonly<Record<string, string>>,
  ): true => {
    sendEnvelope(response, status, detail, headers);
    return true;
  };
  if (error instanceof HttpFault) return answer(error.status, error.message, error.headers);
  const known = error as BodyParserError & Partial<ValidatorError>;
  if (known.type !== undefined) {
    const { status, detail, headers } = bodyRefusal(known, request);
    return answer(status, detail, headers);
  }
  switch (known.status) {
    case 400: {
      const items = Array.isArray(known.errors) ? itemsOf(known as ValidatorError, request) : [];
      return items.length > 0 ? answer(422, items) : answer(400, 'Bad Request');
    }
    case 405:
      return answer(405, 'Method Not Allowed', { Allow: allowOf(known.headers?.Allow ?? '') });
    case 415:
      return answer(415, 'Content-Type is not JSON; send application/json.');
    default: {
      // The docs page's file server has refusals of its own, such as 416.
      const reason = STATUS_CODES[known.status ?? 0];
      return (known.status ?? 0) < 500 && reason !== undefined && answer(known.status ?? 400, reason);
    }
  }
}

/** Where GET is served, HEAD is too (decision 53). */
const allowOf = (methods: string): string => methods.replace(/\bGET\b/, 'GET, HEAD');

interface Refusal {
  status: number;
  detail: string | ValidationItem[];
  headers?: Readonly<Record<string, string>>;
}

/** What the body parser refuses. */
function bodyRefusal(error: BodyParserError, request: Request): Refusal {
  switch (error.type) {
    case 'entity.parse.failed':
      return { status: 422, detail: [invalidJson(jsonTrouble(String(error.body ?? '')))] };
    case 'body.not-utf8':
      return { status: 422, detail: [invalidJson({ offset: Number(error.message), reason: 'Not UTF-8' })] };
    case 'body.empty':
      return { status: 422, detail: toValidationItems([bodyMissing], noParts) };
    case 'entity.too.large': {
      const detail = `The body is larger than ${error.limit} bytes.`;
      return { status: 413, detail, headers: { Connection: 'close' } };
    }
    case 'encoding.unsupported':
    case 'charset.unsupported': {
      const encoding = (request.headers['content-encoding'] ?? '').slice(0, 200);
      return { status: 415, detail: `Content-Encoding ${encoding} is not read; send plain JSON.` };
    }
    case 'request.aborted':
    case 'request.size.invalid': {
      const detail = 'The body does not have the length it announced.';
      return { status: 400, detail, headers: { Connection: 'close' } };
    }
    default:
      return { status: error.status ?? 400, detail: 'Bad Request' };
  }
}

const noParts: RequestParts = { body: undefined, query: {}, path: {}, header: {} };
const invalidJson = (trouble: { offset: number; reason: string }): ValidationItem => ({
  type: 'json_invalid',
  loc: ['body', trouble.offset],
  msg: 'JSON decode error',
  input: {},
  ctx: { error: trouble.reason },
});

const bodyMissing: SchemaError = {
  keyword: 'required',
  instancePath: '',
  schemaPath: '',
  params: { missingProperty: 'body' },
};

function itemsOf(
  error: ValidatorError,
  request: Request & { openapi?: { pathParams?: unknown } },
): ValidationItem[] {
  const parts: RequestParts = {
    body: request.body,
    query: request.query,
    path: request.openapi?.pathParams ?? request.params,
    header: request.headers,
  };
  return toValidationItems(error.errors.flatMap(toSchemaError), parts);
}

/**
 * An entry without ajv's error behind it comes from the validator's own checks. Of an unknown or empty query parameter
 * we can say what is wrong; anything else (a path that cannot be decoded) is no broken rule of a field.
 */
function toSchemaError(entry: ValidatorError['errors'][number]): SchemaError[] {
  if (entry.schemaError) return [entry.schemaError];
  const query = /^\/query\/(.+)$/s.exec(entry.path);
  if (!query) return [];
  return /^Unknown/i.test(entry.message)
    ? [
        {
          keyword: 'additionalProperties',
          params: { additionalProperty: query[1] },
          schemaPath: '',
          instancePath: '/query',
        },
      ]
    : [{ keyword: 'minLength', params: { limit: 1 }, schemaPath: '', instancePath: entry.path }];
}
