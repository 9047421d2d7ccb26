import { sanitiseText } from '../../foundation/sanitise.js';
import type { CommandFailure } from './command-failure.js';
import { remedySentence } from './remedies.js';

/** A failure as programs get it: one object, every key in each. */
function failureObject(failure: CommandFailure, named: (text: string) => string): object {
  const { remedies } = failure;
  const hint = failure.hint ?? (remedies.length === 0 ? null : remedySentence(remedies));
  return {
    error_code: failure.errorCode,
    detail: named(failure.detail),
    hint: hint === null ? null : named(hint),
    remedies: remedies.map(([label, command]) => ({ label, command: named(command) })),
    request_id: failure.requestId,
    turn_id: failure.turnId,
    idempotency_key: failure.idempotencyKey,
  };
}

/** The same in a line of standard error. @param named puts the name of this program into commands that are to be pasted. */
export function failureLine(failure: CommandFailure, json: boolean, named: (text: string) => string): string {
  return json
    ? `${JSON.stringify(failureObject(failure, named))}\n`
    : `houmao-mgr: ${named(sanitiseText(failure.message))}\n`;
}
