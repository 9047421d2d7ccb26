import { sanitiseText } from '../../foundation/sanitise.js';
import type { CommandFailure } from './command-failure.js';

/** A failure as programs get it: one object, every key in each. */
export const failureObject = (failure: CommandFailure): object => ({
  error_code: failure.errorCode,
  detail: failure.detail,
  hint: failure.hint?.replace(/^ +/gm, '') ?? null,
  request_id: failure.requestId,
  turn_id: failure.turnId,
  idempotency_key: failure.idempotencyKey,
});

/** The same in a line of standard error. @param named puts the name of this program into commands that are to be pasted. */
export function failureLine(failure: CommandFailure, json: boolean, named: (text: string) => string): string {
  if (!json) return `houmao-mgr: ${named(sanitiseText(failure.message))}\n`;
  const texts = Object.entries(failureObject(failure)).map(([key, value]) => [
    key,
    typeof value === 'string' && (key === 'detail' || key === 'hint') ? named(value) : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(texts))}\n`;
}
