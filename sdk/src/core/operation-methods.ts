import type { CallParameters, Send } from './connection.js';
import type { CallLimits } from './operation.js';
import { refusal } from './refusal.js';
import type { AnySurface } from './surface.js';

/** `CallOptions` of any operation. */
interface AnyOptions extends CallLimits {
  path?: CallParameters['path'];
  query?: CallParameters['query'];
  headers?: CallParameters['header'];
  body?: unknown;
}

type AnyMethod = (options?: AnyOptions) => Promise<unknown>;

/** One method per row of the route table; the types say the same about the same names. */
export function createOperationMethods(surface: AnySurface, send: Send): Record<string, AnyMethod> {
  const methods = Object.keys(surface.routes).map((id) => [id, methodOf(surface, send, id)] as const);
  return Object.fromEntries(methods);
}

function methodOf(surface: AnySurface, send: Send, operationId: string): AnyMethod {
  const { method, path: template, text } = surface.routes[operationId]!;
  const parse = text ? { parseAs: 'text' } : {};
  return async ({ path = {}, query, headers, body, signal, timeoutMs } = {}) => {
    const { data, error, response } = await send({
      ...{ operationId, method, path: template },
      init: { params: { path, query, header: headers }, body, ...parse },
      signal,
      timeoutMs,
    });
    if (!response.ok) throw refusal(surface, operationId, response, error);
    if (data !== undefined) return data;
    // openapi-fetch does not read a body of no bytes.
    if (text) return '';
    throw new surface.Failure({
      status: response.status,
      errorCode: 'invalid_answer',
      detail: 'The answer has no body.',
      httpRequestId: response.headers.get('X-Request-Id'),
      operationId,
    });
  };
}
