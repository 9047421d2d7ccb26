import type { RetryPolicy } from '../operation.js';

/** The end of one try, as far as it can be a reason for another. */
export type Ending =
  /** No connection was made: nothing was sent. */
  | { readonly kind: 'unreached' }
  /** The connection broke before the whole answer was there. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The server's own time for the next try; null when it gave none. */
      readonly retryAfterMs: number | null;
      /** Whether the server says that the call was done, whatever the status. */
      readonly done: boolean;
    };

/** All facts that the decision depends on. */
export interface Situation {
  readonly policy: RetryPolicy;
  /** Whether the call has an Idempotency-Key. */
  readonly hasKey: boolean;
  readonly ending: Ending;
  /** The number of tries so far: 1 or more. */
  readonly tries: number;
  readonly maxRetries: number;
  /** Milliseconds until the call's deadline; `Infinity` without one. */
  readonly leftMs: number;
  /** A new random number for each decision: from 0 up to, not including, 1. */
  readonly random: number;
}

const firstPauseMs = 200;
const longestPauseMs = 2000;
/** The longest `Retry-After` that is obeyed; after it, the server is called again even if it asks for more. */
const longestRetryAfterMs = 60_000;

/**
 * Decides whether to try again; the only place that does.
 *
 * The answer of a server is final: only a 429 or 503 with a `Retry-After` announces another result later, and says that nothing
 * was done. Pauses double from try to try, and are shortened at random by up to a half, so that callers that lost one server do
 * not all return to it at the same moment.
 *
 * @returns the milliseconds to wait before the next try; null for no other try.
 */
export function nextTryAfter(situation: Situation): number | null {
  const { policy, hasKey, ending, tries, maxRetries, leftMs, random } = situation;
  if (policy === 'never' || (policy === 'keyed' && !hasKey) || tries > maxRetries) return null;
  const askedMs = patienceAskedFor(ending);
  if (askedMs === null) return null;
  const doubledMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
  const pauseMs = askedMs + doubledMs * (1 - random / 2);
  return pauseMs < leftMs ? pauseMs : null;
}

/** Returns the milliseconds that the server adds to the pause; null when another try cannot help. */
function patienceAskedFor(ending: Ending): number | null {
  if (ending.kind !== 'answered') return 0;
  const { status, retryAfterMs, done } = ending;
  if (done || retryAfterMs === null || (status !== 429 && status !== 503)) return null;
  return Math.min(Math.max(retryAfterMs, 0), longestRetryAfterMs);
}
