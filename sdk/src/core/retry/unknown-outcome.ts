import type { CallError } from '../call-error.js';
import type { AnySurface } from '../surface.js';

/** The facts about a call over all its tries. */
export interface Known {
  /** The Idempotency-Key of all tries; null without one. */
  readonly key: string | null;
  /** Whether any part of it may have reached the server. */
  sent: boolean;
  /** Whether a try was sent and its answer did not arrive: a later refusal does not undo what that try may have done. */
  open: boolean;
}

/** Returns whether the call ended without an answer, so that its outcome is unknown. */
export function isLost({ errorCode }: CallError): boolean {
  return errorCode === 'connection_failed' || errorCode === 'timeout';
}

/** Returns whether the server says, by this header, that it did the call, whatever the status. */
export const saysDone = (headers: Headers): boolean => headers.get('X-Houmao-Done') === 'true';

/** Returns whether the server says, by the same header, that the outcome is unknown. */
const saysUnknown = (headers: Headers | undefined): boolean => headers?.get('X-Houmao-Done') === 'unknown';

const delivers = /^(send|post|reply).*Mail$/;

/** Decides whether a server with this answer may have failed during the work. A 502 to a message is the mailbox's own refusal. */
const isBrokenOff = (status: number, operationId: string): boolean =>
  [500, 504].includes(status) || (status === 502 && !delivers.test(operationId));

/** Returns the advice for an unknown outcome. */
export const retryWith = (key: string): string =>
  `Retry with the idempotencyKey ${key}: it is done at most once.`;

const reads = /^(get|list|peek|fetch|check|resolve)/;

/**
 * Returns the error of a call, with the key for a repeat if the call may have been done, or was; without a key, marked as one
 * that may have been done.
 * @param headers those of a refusal
 */
export function withKey(
  { Failure }: AnySurface,
  error: CallError,
  { key, open, sent }: Known,
  headers?: Headers,
): CallError {
  // The last try may have sent nothing although an earlier one did.
  const again = {
    ...error,
    cause: error.cause,
    headers: error.headers,
    idempotencyKey: key,
    sent: error.sent || sent,
  };
  // The call was done, whatever happened to the earlier tries: a repeat with the key completes what is missing.
  if (headers && saysDone(headers)) return new Failure(again);
  const id = error.operationId ?? '';
  if (key === null) {
    if (!open || (error.sent && !headers) || reads.test(id)) return error;
    return new Failure({
      ...again,
      outcomeUnknown: true,
      detail: `${error.detail} An earlier try may have done it.`,
    });
  }
  const said = saysUnknown(headers);
  if (!open && !said && !isBrokenOff(error.status ?? 0, id)) return error;
  const unknown = said ? '' : ' Whether it was done is not known.';
  return new Failure({ ...again, detail: `${error.detail}${unknown} ${retryWith(key)}` });
}

/**
 * Makes a new key. `randomUUID` would be shorter, but pages that a gateway serves over plain HTTP to other machines do not have
 * it.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
