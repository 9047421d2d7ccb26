import type { CallParameters, Send } from './connection.js';
import { GatewayError } from './gateway-error.js';
import {
  type CallLimits,
  type OperationId,
  type OperationMethods,
  operationIds,
  routes,
} from './operation.js';
import { refusal } from './refusal.js';

/** `CallOptions` of any operation. */
interface AnyOptions extends CallLimits {
  path?: CallParameters['path'];
  query?: CallParameters['query'];
  headers?: CallParameters['header'];
  body?: unknown;
}

/** One method per row of the route table; the types say the same about the same names. */
export function createOperationMethods(send: Send): OperationMethods {
  const methods = operationIds.map((id) => [id, (options?: AnyOptions) => run(send, id, options)] as const);
  return Object.fromEntries(methods) as unknown as OperationMethods;
}

async function run(send: Send, operationId: OperationId, options: AnyOptions = {}): Promise<unknown> {
  const { path = {}, query, headers, body, signal, timeoutMs } = options;
  const { data, error, response } = await send({
    operationId,
    ...routes[operationId],
    init: { params: { path, query, header: headers }, body },
    signal,
    timeoutMs,
  });
  if (!response.ok) throw refusal(operationId, response, error);
  if (data !== undefined) return data;
  throw new GatewayError({
    status: response.status,
    errorCode: 'invalid_answer',
    detail: 'The answer has no body.',
    httpRequestId: response.headers.get('X-Request-Id'),
    operationId,
  });
}
