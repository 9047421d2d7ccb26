import type { Denial } from './refusal.js';

/** What came of a try. */
export interface Outcome {
  /** Of the answer; null where none came. */
  status: number | null;
  /** The `type` of a problem (RFC 7807); null without one. */
  problem: string | null;
  /** Nobody is let in with that. */
  denial: Denial | null;
  /** Seconds that the server asks for; null where it asks for none. */
  retryAfter: number | null;
  /** The server may have done it. */
  mayBeDone: boolean;
}

/**
 * Whether to try once more: not at all, at once with the credential or the session read anew, or after so many milliseconds.
 */
export type Plan = 'no' | 'new_credential' | 'new_session' | { after: number };

const limitProblem = 'urn:ietf:params:jmap:error:limit';
/** Tries after which a server that has no time is left alone. */
const mostTries = 5;
const firstPause = 100;

/**
 * Pure: what changes something is repeated only where the server surely has not begun it.
 * @param tries so many were made, this one too. @param left milliseconds that remain.
 */
export function planAfter(
  { status, problem, denial, retryAfter, mayBeDone }: Outcome,
  { changes, tries, left }: { changes: boolean; tries: number; left: number },
): Plan {
  if (tries >= mostTries) return 'no';
  if (denial !== null) return tries === 1 ? 'new_credential' : 'no';
  if (status === 404) return tries === 1 ? 'new_session' : 'no';
  const isBusy =
    status !== null && (status === 429 || problem === limitProblem || (status === 503 && !changes));
  const isLost = status === null && tries === 1 && (!changes || !mayBeDone);
  if (!isBusy && !isLost) return 'no';
  const after = retryAfter === null ? firstPause * 2 ** (tries - 1) : retryAfter * 1000;
  return after < left ? { after } : 'no';
}

/** Pure: seconds of a `Retry-After`; null for a date, and where there is none. */
export const retryAfterOf = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) : null;
