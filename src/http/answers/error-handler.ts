import { STATUS_CODES } from 'node:http';
import type { SchemaError } from '../../contract/broken-rules.js';
import { type BrokenRule, type RequestParts, toValidationItems } from '../../contract/validation-items.js';
import { Unavailable } from '../../foundation/faults.js';
import type { ValidatorError } from '../contract/eov/keep-schema-errors.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/server.js';
import { HttpFault, type SurfaceWords, sendEnvelope } from './envelope.js';

/**
 * Makes the function that answers every error in the envelope, without a path, a stack or the name of a library.
 * @param report receives each internal fault, with the request id.
 */
export function errorAnswers(
  words: SurfaceWords,
  report: (fault: string) => void,
): (error: unknown, request: SurfaceRequest, response: SurfaceResponse) => void {
  const fault = (error: unknown, request: SurfaceRequest, response: SurfaceResponse): void => {
    const { requestId } = response;
    // The caller has gone: it broke off a file that was being sent, or a stopping server has cut its connection, and resources
    // of the handler may be closed.
    if (response.destroyed && (response.stopping || response.headersSent)) return;
    report(
      `request ${requestId} ${request.method} ${request.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    if (response.headersSent) {
      // The caller would take anything that follows for a part of the answer.
      response.destroy();
      return;
    }
    response.faultClass = error instanceof Error ? error.constructor.name : typeof error;
    sendEnvelope(response, 500, `Internal fault; see request ${requestId} in the ${words.noun} log.`);
  };
  return (error, request, response) => {
    try {
      if (response.headersSent || !answerKnown(error, request, response)) fault(error, request, response);
    } catch (second) {
      // Express would answer this error itself, with an HTML page that shows the stack.
      fault(second, request, response);
    }
  };
}

/** Answers an error that has an answer of its own. @returns false when the error is a fault of ours. */
function answerKnown(error: unknown, request: SurfaceRequest, response: SurfaceResponse): boolean {
  const answer = (
    status: number,
    detail: string | BrokenRule[],
    headers?: Readonly<Record<string, string>>,
  ): true => {
    sendEnvelope(response, status, detail, headers);
    return true;
  };
  if (error instanceof Unavailable)
    return answer(error.status, error.message, error.status === 503 ? { 'Retry-After': '1' } : undefined);
  if (error instanceof HttpFault) return answer(error.status, error.message, error.headers);
  const known = error as Partial<ValidatorError>;
  if (known.status === 400) {
    const items = Array.isArray(known.errors) ? itemsOf(known as ValidatorError, request) : [];
    return items.length > 0 ? answer(422, items) : answer(400, 'Bad Request');
  }
  // The docs page's file server has refusals of its own, such as 416.
  const reason = STATUS_CODES[known.status ?? 0];
  return (known.status ?? 0) < 500 && reason !== undefined && answer(known.status ?? 400, reason);
}

/**
 * The most errors that are converted. Only a few items are shown, and finding those takes time that grows with the square of
 * the number.
 */
const enoughErrors = 1000;

function itemsOf(error: ValidatorError, request: SurfaceRequest): BrokenRule[] {
  const parts: RequestParts = {
    body: asSent(request),
    query: request.query,
    path: request.params,
    header: request.headers,
  };
  return toValidationItems(error.errors.slice(0, enoughErrors).flatMap(toSchemaError), parts);
}

/** Returns the body without the defaults that the contract has filled in: an item shows the values its caller wrote. */
const asSent = ({ body, bodyText = '' }: SurfaceRequest): unknown =>
  bodyText === '' ? body : (JSON.parse(bodyText) as unknown);

/**
 * Converts an entry into schema errors. An entry without ajv's error behind it comes from the validator's own checks of query
 * parameters, each with its own message. Anything else (a path that cannot be decoded) is not about a field.
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
