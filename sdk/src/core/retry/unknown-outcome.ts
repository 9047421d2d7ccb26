import type { CallError } from '../call-error.js';
import type { AnySurface } from '../surface.js';

/** What is known of a call over all its tries. */
export interface Known {
  /** The Idempotency-Key that all tries had; null without one. */
  readonly key: string | null;
  /** Whether anything of it may have arrived. */
  sent: boolean;
  /** Whether a try was sent and its own answer did not arrive: what it may have done, no later refusal takes back. */
  open: boolean;
}

/** Whether the call ended without an answer, so that its outcome is unknown. */
export function isLost({ errorCode }: CallError): boolean {
  return errorCode === 'connection_failed' || errorCode === 'timeout';
}

/** The header by which a server says that it did what was asked, whatever the status. */
export const saysDone = (headers: Headers): boolean => headers.get('X-Houmao-Done') === 'true';

/** Whether it says by that header that nobody knows. */
const saysUnknown = (headers: Headers | undefined): boolean => headers?.get('X-Houmao-Done') === 'unknown';

const delivers = /^(send|post|reply).*Mail$/;

/** Whether a server that answered so may have failed over it. A 502 to a message is the mailbox's own refusal. */
const isBrokenOff = (status: number, operationId: string): boolean =>
  [500, 504].includes(status) || (status === 502 && !delivers.test(operationId));

/** What to do where nobody knows whether it was done. */
export const retryWith = (key: string): string =>
  `Retry with the idempotencyKey ${key}: it is done at most once.`;

const reads = /^(get|list|peek|fetch|check|resolve)/;

/**
 * The error of a call, with the key to ask again with where something of it may be done, or is; without a key, that it may be.
 * @param headers those of a refusal
 */
export function withKey(
  { Failure }: AnySurface,
  error: CallError,
  { key, open, sent }: Known,
  headers?: Headers,
): CallError {
  // What the last try did not send, an earlier one may have.
  const again = { ...error, cause: error.cause, idempotencyKey: key, sent: error.sent || sent };
  // Done, whatever became of the earlier tries: with the key what is missing is made up for.
  if (headers && saysDone(headers)) return new Failure(again);
  const id = error.operationId ?? '';
  if (key === null) {
    if (!open || (error.sent && !headers) || reads.test(id)) return error;
    return new Failure({
      ...again,
      mayBeDone: true,
      detail: `${error.detail} An earlier try may have done it.`,
    });
  }
  const said = saysUnknown(headers);
  if (!open && !said && !isBrokenOff(error.status ?? 0, id)) return error;
  const unknown = said ? '' : ' Whether it was done is not known.';
  return new Failure({ ...again, detail: `${error.detail}${unknown} ${retryWith(key)}` });
}

/** `randomUUID` would be shorter, but pages that a gateway serves over plain HTTP to other machines have none. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
