import type { RetryPolicy } from '../operation.js';

/** How one try ended, where that can be a reason for another. */
export type Ending =
  /** Nobody could be connected to: nothing was sent. */
  | { readonly kind: 'unreached' }
  /** The connection broke before the whole answer was there. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The server's own word for when to come again; null where it gave none. */
      readonly retryAfterMs: number | null;
      /** The server says that it did it, whatever the status. */
      readonly done: boolean;
    };

/** All that the decision depends on. */
export interface Situation {
  readonly policy: RetryPolicy;
  /** Whether the call has an Idempotency-Key. */
  readonly hasKey: boolean;
  readonly ending: Ending;
  /** How often it was tried: 1 or more. */
  readonly tries: number;
  readonly maxRetries: number;
  /** Milliseconds until the call's deadline; `Infinity` without one. */
  readonly leftMs: number;
  /** Drawn anew for each decision: from 0 up to, not including, 1. */
  readonly random: number;
}

const firstPauseMs = 200;
const longestPauseMs = 2000;
/** A server that asks for more patience is asked again all the same. */
const longestRetryAfterMs = 60_000;

/**
 * Whether to try again, the one place where that is decided.
 *
 * A server that answers is believed: only a 429 or 503 with a `Retry-After` promises that it will be otherwise, and says that
 * nothing was done. Pauses double from try to try, and are shortened at random by up to a half, so that callers who lost one
 * server do not come back to it in one moment.
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

/** What the server wants on top of the pause; null where another try is not meant to help. */
function patienceAskedFor(ending: Ending): number | null {
  if (ending.kind !== 'answered') return 0;
  const { status, retryAfterMs, done } = ending;
  if (done || retryAfterMs === null || (status !== 429 && status !== 503)) return null;
  return Math.min(Math.max(retryAfterMs, 0), longestRetryAfterMs);
}
