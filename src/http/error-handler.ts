import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { Unavailable } from '../contract/unavailable.js';
import {
  type RequestParts,
  type SchemaError,
  toValidationItems,
  type ValidationItem,
} from '../contract/validation-items.js';
import { sendEnvelope } from './envelope.js';
import type { ValidatorError } from './eov/keep-schema-errors.js';
import { HttpFault } from './http-fault.js';
import { noteFault } from './observer.js';

/** What express and its libraries put on their errors. */
interface StatusError {
  status?: number;
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
    noteFault(response, error);
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
  if (error instanceof Unavailable) return answer(503, error.message, { 'Retry-After': '1' });
  if (error instanceof HttpFault) return answer(error.status, error.message, error.headers);
  const known = error as StatusError & Partial<ValidatorError>;
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

/** A few items are shown of them; telling noise from what matters takes the square of their number. */
const enoughErrors = 1000;

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
  return toValidationItems(error.errors.slice(0, enoughErrors).flatMap(toSchemaError), parts);
}

/**
 * An entry without ajv's error behind it comes from the validator's own checks of query parameters, each with its own
 * message. Anything else (a path that cannot be decoded) is no broken rule of a field.
 */
function toSchemaError(entry: ValidatorError['errors'][number]): SchemaError[] {
  if (entry.schemaError) return [entry.schemaError];
  const query = /^\/query\/(.*)$/s.exec(entry.path);
  if (!query) return [];
  if (/^Unknown/.test(entry.message))
    return [queryError('/query', 'additionalProperties', { additionalProperty: query[1] })];
  return /must be url encoded/.test(entry.message)
    ? [queryError(entry.path, 'allowReserved', {}, 'must have its reserved characters percent-encoded')]
    : [queryError(entry.path, 'minLength', { limit: 1 })];
}

const queryError = (
  instancePath: string,
  keyword: string,
  params: SchemaError['params'],
  message?: string,
): SchemaError => ({ keyword, params, message, schemaPath: '', instancePath });
