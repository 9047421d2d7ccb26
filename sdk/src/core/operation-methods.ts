import { type CallPromise, callPromise } from './call-promise.js';
import type { CallParameters, Send } from './connection.js';
import type { CallLimits, CallWay } from './operation.js';
import type { Recogniser } from './recognise.js';
import { refusal } from './refusal.js';
import { withKey } from './retry/unknown-outcome.js';
import type { AnySurface } from './surface.js';

/** The `CallOptions` of any operation. */
interface AnyOptions extends CallLimits, CallWay {
  path?: CallParameters['path'];
  query?: CallParameters['query'];
  headers?: CallParameters['header'];
  body?: unknown;
}

type AnyMethod = (options?: AnyOptions) => CallPromise<unknown>;

/** Makes one method per row of the route table; the types declare the same names. */
export function createOperationMethods(
  surface: AnySurface,
  send: Send,
  recognise: Recogniser,
): Record<string, AnyMethod> {
  const methods = Object.keys(surface.routes).map(
    (id) => [id, methodOf(surface, send, recognise, id)] as const,
  );
  return Object.fromEntries(methods);
}

function methodOf(surface: AnySurface, send: Send, recognise: Recogniser, operationId: string): AnyMethod {
  const { method, path: template, text } = surface.routes[operationId]!;
  const parse = text ? { parseAs: 'text' } : {};
  const call = async ({ path = {}, query, headers, body, fetch, middleware, ...limits }: AnyOptions) => {
    const { data, error, response, known } = await send({
      operationId,
      method,
      path: template,
      makesKey: true,
      init: { params: { path, query, header: headers }, body, fetch, middleware, ...parse },
      ...limits,
    }).catch(async (error: unknown) => {
      throw await recognise.failure(error, limits);
    });
    if (!response.ok) {
      const refused = await recognise.failure(refusal(surface, operationId, response, error), limits);
      throw withKey(surface, refused, known, response.headers);
    }
    const foreign = await recognise.success(operationId, { data, response }, limits);
    if (foreign) throw withKey(surface, foreign, { ...known, open: true });
    if (data !== undefined) return { data, response };
    // openapi-fetch does not read an empty body.
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
