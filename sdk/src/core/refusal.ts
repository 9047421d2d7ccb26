import type { CallError, CallErrorFields, ValidationItem } from './call-error.js';
import type { AnySurface } from './surface.js';

/** The length of a quotation of a foreign answer, by which people recognise the server. */
const excerptChars = 200;

/** Reads the three forms of the error envelope `{"detail": …}`, and reports an answer that has none of them. */
export function refusal(
  { Failure, servedBy }: AnySurface,
  operationId: string | null,
  response: Response,
  body: unknown,
): CallError {
  return new Failure({
    status: response.status,
    httpRequestId: response.headers.get('X-Request-Id'),
    headers: response.headers,
    operationId,
    ...(explain(response, body) ?? {
      errorCode: `http_${response.status}`,
      detail: `${response.status === 429 ? 'Another server limits calls' : `The answer is not a ${servedBy}'s`}: ${excerpt(body)}`,
    }),
  });
}

/** Reads an envelope. The body is for people, the header has the code for programs; older servers send no header. */
function explain(
  { status, headers }: Response,
  body: unknown,
): Pick<CallErrorFields, 'errorCode' | 'detail' | 'items'> | undefined {
  const detail = isObject(body) ? body.detail : undefined;
  if (typeof detail === 'string')
    return { errorCode: headers.get('X-Houmao-Error-Code') ?? `http_${status}`, detail };
  if (Array.isArray(detail)) {
    const items = detail.filter(isItem);
    return { errorCode: 'validation_failed', detail: items.map(describe).join('; '), items };
  }
  if (isObject(detail) && typeof detail.detail === 'string' && typeof detail.error_code === 'string') {
    return { errorCode: detail.error_code, detail: detail.detail };
  }
  return undefined;
}

export const excerpt = (body: unknown): string =>
  (typeof body === 'string' ? body : (JSON.stringify(body) ?? 'nothing')).slice(0, excerptChars);

function describe({ loc, msg }: ValidationItem): string {
  return `${loc.join('.')}: ${msg}`;
}

function isItem(value: unknown): value is ValidationItem {
  return isObject(value) && Array.isArray(value.loc) && typeof value.msg === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
