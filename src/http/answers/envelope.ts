import { errorCodeHeader, wallCodeOf } from '../../contract/error-code.js';
import type { ValidationItem } from '../../contract/validation-items.js';
import type { SurfaceResponse } from '../server/messages.js';

/** Sends an answer that is not an operation's own: the contract's response schemas are not asked about it. */
export function sendEnvelope(
  response: SurfaceResponse,
  status: number,
  detail: string | ValidationItem[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (typeof detail !== 'string') response.invalid = detail;
  const code = wallCodeOf(status, detail);
  const coded = code === null ? headers : { ...headers, [errorCodeHeader]: code };
  response.sendJson(status, JSON.stringify({ detail }), coded);
}
