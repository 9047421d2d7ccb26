import type { Attempt } from './notification.js';

// A message:
//
//   pending ──2xx, exit code 0──▶ delivered
//      │  ▲
//      │  └──any other attempt, while there is another try
//      └──no other try, or its notification is disabled──▶ failed
//
// A webhook is disabled by 410, and by five days without a success.

const second = 1000;
const hour = 3600 * second;

/** The pauses between the attempts, as Standard Webhooks recommends them. */
const pauses: readonly number[] = [
  ...[5 * second, 300 * second, 1800 * second],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
/** At most so much later than the pause says, so that what failed together is not tried together. */
const jitter = 0.1;
/** The longest pause that a receiver may ask for. */
const longestPause = 24 * hour;
/** A webhook without a success for so long is disabled. */
export const patience = 5 * 24 * hour;

/** The consequences of an attempt. */
export interface AttemptDecision {
  readonly state: 'delivered' | 'pending' | 'failed';
  /** When the message is tried next, in milliseconds since 1970; null where it has ended. */
  readonly nextAt: number | null;
  /** Since when every attempt failed; null after a success. */
  readonly failingSince: number | null;
  /** Why the notification is disabled from now on; null where it is not. */
  readonly disabledReason: string | null;
}

/**
 * Pure: decides what becomes of a message and its notification.
 * @param attempts how many there were of this message, this one included.
 * @param retries whether the target is tried again: a program of this machine that failed would fail again.
 * @param random between 0 and 1.
 */
export function afterAttempt(given: {
  readonly attempt: Attempt;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly retries: boolean;
  readonly random: number;
}): AttemptDecision {
  const { attempt, attempts, retries, random } = given;
  const { at, code } = attempt;
  if (code === 'delivered')
    return { state: 'delivered', nextAt: null, failingSince: null, disabledReason: null };
  const failingSince = given.failingSince ?? at;
  const disabledReason = retries ? reasonToDisable(attempt, failingSince) : null;
  const pause = pauses[attempts - 1];
  if (!retries || disabledReason !== null || pause === undefined)
    return { state: 'failed', nextAt: null, failingSince, disabledReason };
  const asked = Math.min((attempt.retryAfterSeconds ?? 0) * second, longestPause);
  const nextAt = at + Math.max(Math.round(pause * (1 + jitter * random)), asked);
  return { state: 'pending', nextAt, failingSince, disabledReason };
}

function reasonToDisable({ at, code, detail }: Attempt, failingSince: number): string | null {
  if (code === 'gone') return 'The receiver answered 410: it wants no more messages.';
  return at - failingSince >= patience
    ? `Nothing was delivered for five days. The last attempt: ${detail}`
    : null;
}
