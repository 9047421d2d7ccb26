import { type CallPromise, callPromise } from './call-promise.js';
import type { CallParameters, Send } from './connection.js';
import type { CallLimits } from './operation.js';
import { refusal } from './refusal.js';
import { withKey } from './retry/unknown-outcome.js';
import type { AnySurface } from './surface.js';

/** `CallOptions` of any operation. */
interface AnyOptions extends CallLimits {
  path?: CallParameters['path'];
  query?: CallParameters['query'];
  headers?: CallParameters['header'];
  body?: unknown;
}

type AnyMethod = (options?: AnyOptions) => CallPromise<unknown>;

/** One method per row of the route table; the types say the same about the same names. */
export function createOperationMethods(surface: AnySurface, send: Send): Record<string, AnyMethod> {
  const methods = Object.keys(surface.routes).map((id) => [id, methodOf(surface, send, id)] as const);
  return Object.fromEntries(methods);
}

function methodOf(surface: AnySurface, send: Send, operationId: string): AnyMethod {
  const { method, path: template, text } = surface.routes[operationId]!;
  const parse = text ? { parseAs: 'text' } : {};
  const call = async ({ path = {}, query, headers, body, ...limits }: AnyOptions) => {
    const { data, error, response, known } = await send({
      ...{ operationId, method, path: template, makesKey: true },
      init: { params: { path, query, header: headers }, body, ...parse },
      ...limits,
    });
    if (!response.ok)
      throw withKey(surface, refusal(surface, operationId, response, error), known, response.headers);
    if (data !== undefined) return { data, response };
    // openapi-fetch does not read a body of no bytes.
    if (text) return { data: '', response };
    const invalid = new surface.Failure({
      status: response.status,
      errorCode: 'invalid_answer',
      detail: 'The answer has no body.',
      httpRequestId: response.headers.get('X-Request-Id'),
      operationId,
    });
    throw withKey(surface, invalid, { ...known, open: true });
  };
  return (options = {}) => callPromise(call(options));
}
