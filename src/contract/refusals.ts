// The sentences, headers and codes with which the gateway and the server refuse the same thing.

/** The refusal of an Idempotency-Key that was used before for another request. */
export const keyOfAnotherBody = 'The Idempotency-Key was used before with another body.';

/** The command that gives an agent a mailbox. */
export const mailboxCommand = (name: string): string =>
  `houmao-mgr agents mailbox register ${name} --mailbox-root <root>`;

/**
 * The prefix of the server's own name of a submission, `mreq-0f3c9d2b7a11`, which is only for logs: no
 * operation accepts it as an id.
 */
export const logNamePrefix = 'mreq-';

/**
 * Returns the end of the sentence that refuses an unknown id: for a log name, how to look up its turn; for other ids, nothing.
 */
export const howToAsk = (id: string): string =>
  id.startsWith(logNamePrefix)
    ? ' That id is for logs only: use the X-Houmao-Turn-Id of the same answer, at …/turns/{turn_id}/record of the server.'
    : '';

/** The header that gives programs the reason that the `detail` of an answer gives people (docs/decisions.md#error-codes). */
export const errorCodeHeader = 'X-Houmao-Error-Code';

/**
 * The error codes of the walls, which check a request before its operation is called, by status. A request that breaks the
 * contract gets `validation_failed` from every wall and operation.
 */
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
/** Codes of calls for agents of other hosts, which are refused before their operation. */
const ofFleet: ReadonlySet<string> = new Set(['fleet_offline', 'held_elsewhere', 'host_away']);

/** Returns the code of a wall's answer. @param detail of that answer. @returns null for an answer that no wall gives. */
export const wallCodeOf = (status: number, detail: unknown): string | null =>
  Array.isArray(detail) ? brokenRule : (wallCodes[status] ?? null);

/**
 * Returns the code of an operation's refusal, where its status and body determine it.
 * @param codes the contract's codes for this status.
 * @param detail of the answer: items of broken rules, a refusal with its own code, or a sentence.
 * @returns null where there are several, and the handler has to name one.
 */
export function errorCodeOf(codes: readonly string[], detail: unknown): string | null {
  if (Array.isArray(detail)) return brokenRule;
  if (typeof detail === 'object' && detail !== null) {
    const { error_code: own } = detail as { error_code?: unknown };
    return typeof own === 'string' ? own : null;
  }
  if (detail === keyOfAnotherBody && codes.includes(keyReused)) return keyReused;
  const said = codes.filter((code) => code !== brokenRule && code !== keyReused && !ofFleet.has(code));
  return said.length === 1 ? (said[0] ?? null) : null;
}

/** The header of an error whose work is done nevertheless (`true`), or whose outcome is unknown (`unknown`). */
export const doneHeader = 'X-Houmao-Done';
