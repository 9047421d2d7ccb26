// The sentences, headers and codes with which gateway and server refuse the same thing.

/** The refusal of an Idempotency-Key under which something else was asked for before. */
export const keyOfAnotherBody = 'The Idempotency-Key was used before with another body.';

/** The command that gives an agent a mailbox. */
export const mailboxCommand = (name: string): string =>
  `houmao-mgr agents mailbox register ${name} --mailbox-root <root>`;

/** Begins the server's own name of a submission, `mreq-0f3c9d2b7a11`, which is for logs: nothing can be asked for by it. */
export const logNamePrefix = 'mreq-';

/** The end of the sentence with which an id is refused as unknown: where it is such a name, the way to ask. Empty for other ids. */
export const howToAsk = (id: string): string =>
  id.startsWith(logNamePrefix)
    ? ' That id is for logs only: use the X-Houmao-Turn-Id of the same answer, at …/turns/{turn_id}/record of the server.'
    : '';

/** The header that says for programs what the `detail` of an answer says for people (docs/decisions.md#error-codes). */
export const errorCodeHeader = 'X-Houmao-Error-Code';

/** What a wall says before an operation is asked, by status. What breaks the contract is `validation_failed` whoever says it. */
export const wallCodes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'token_refused',
  403: 'caller_refused',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'not_json',
  417: 'expectation_failed',
  421: 'host_refused',
  431: 'headers_too_large',
  500: 'internal_fault',
  503: 'unavailable',
};

const brokenRule = 'validation_failed';
const keyReused = 'key_reused';

/** @param detail of a wall's answer. @returns null for what no wall of ours says. */
export const wallCodeOf = (status: number, detail: unknown): string | null =>
  Array.isArray(detail) ? brokenRule : (wallCodes[status] ?? null);

/**
 * The code of an operation's refusal, where its status and its body tell it.
 * @param codes those that the contract has for the status.
 * @param detail of the answer: items of broken rules, a refusal with its own code, or a sentence.
 * @returns null where the handler has to say which of several it is.
 */
export function errorCodeOf(codes: readonly string[], detail: unknown): string | null {
  if (Array.isArray(detail)) return brokenRule;
  if (typeof detail === 'object' && detail !== null) {
    const { error_code: own } = detail as { error_code?: unknown };
    return typeof own === 'string' ? own : null;
  }
  if (detail === keyOfAnotherBody && codes.includes(keyReused)) return keyReused;
  const said = codes.filter((code) => code !== brokenRule && code !== keyReused);
  return said.length === 1 ? (said[0] ?? null) : null;
}

/** By which an answer that is no success says that it is done all the same (`true`), or that nobody knows (`unknown`). */
export const doneHeader = 'X-Houmao-Done';
