import { GatewayError, type GatewayErrorFields, type ValidationItem } from './gateway-error.js';
import type { OperationId } from './operation.js';

/** Enough of a foreign answer to recognise who gave it. */
const EXCERPT_CHARS = 200;

/** Reads the three forms of the error envelope `{"detail": …}`, and admits when the answer has none of them. */
export function refusal(operationId: OperationId | null, response: Response, body: unknown): GatewayError {
  return new GatewayError({
    status: response.status,
    httpRequestId: response.headers.get('X-Request-Id'),
    operationId,
    ...explain(response.status, body),
  });
}

function explain(
  status: number,
  body: unknown,
): Pick<GatewayErrorFields, 'errorCode' | 'detail'> & { items?: readonly ValidationItem[] } {
  const errorCode = `http_${status}`;
  const detail = isObject(body) ? body.detail : undefined;
  if (typeof detail === 'string') return { errorCode, detail };
  if (Array.isArray(detail)) {
    const items = detail.filter(isItem);
    return { errorCode: 'validation_failed', detail: items.map(describe).join('; '), items };
  }
  if (isObject(detail) && typeof detail.detail === 'string' && typeof detail.error_code === 'string') {
    return { errorCode: detail.error_code, detail: detail.detail };
  }
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? 'nothing');
  return { errorCode, detail: `The answer is not a gateway's: ${text.slice(0, EXCERPT_CHARS)}` };
}

function describe({ loc, msg }: ValidationItem): string {
  return `${loc.join('.')}: ${msg}`;
}

function isItem(value: unknown): value is ValidationItem {
  return isObject(value) && Array.isArray(value.loc) && typeof value.msg === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
