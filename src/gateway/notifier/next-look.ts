/** When the inbox is to be looked at. Times are milliseconds of a monotonic clock. */
export interface WakeState {
  /** The interval is over then. */
  due: number;
  /** The mailbox has changed, or the agent may be free. */
  changed: boolean;
  /** Mail that is new to the agent waits for it to be free. */
  waiting: boolean;
  /** Mail that waits is looked at again then, whatever happens. */
  again: number;
  /** Earlier than that no change is followed: the agent could not be told a moment ago. */
  notBefore: number;
  /** A prompt is on its way to the agent, and what came of it is asked for. */
  noticeUnderWay: boolean;
}

export type NextLook = { look: 'interval' | 'change' } | { sleep: number };

/** A timer does not notice that the settings were changed by a restore, or a machine that slept. */
const longestSleep = 10_000;
/** Not everything that makes an agent free tells of it, and nothing tells of a prompt that was not delivered. */
export const waitingMilliseconds = 1000;

/** Pure: what to do at `now`. A sleep is above 0. */
export function nextLook(
  { due, changed, waiting, again, notBefore, noticeUnderWay }: WakeState,
  now: number,
): NextLook {
  if (now >= due) return { look: 'interval' };
  const wanted = changed ? notBefore : waiting ? Math.max(again, notBefore) : Number.POSITIVE_INFINITY;
  if (now >= wanted) return { look: 'change' };
  const longest = noticeUnderWay ? waitingMilliseconds : longestSleep;
  return { sleep: Math.min(due - now, wanted - now, longest) };
}

/** How long new mail waits after so many tries in a row that failed: ever longer, and no longer than the interval. */
export const pauseAfter = (failures: number, intervalSeconds: number): number =>
  Math.min(waitingMilliseconds * 2 ** (failures - 1), intervalSeconds * 1000);
