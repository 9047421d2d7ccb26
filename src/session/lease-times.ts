import type { Clock } from '../foundation/clock.js';
import { ClockJump } from '../foundation/clock-jump.js';

/** A lease lasts a day, so that a program may be away for long. */
const renewMilliseconds = 60 * 60 * 1000;
const lookMilliseconds = 60 * 1000;

/**
 * Has leases renewed now, every hour, and when the clock was set: a lease ends at a time of day.
 * @param renew never fails.
 * @returns the function that stops it.
 */
export function renewHourly(renew: () => void | Promise<void>, clock: Clock): () => void {
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    const set = new ClockJump(clock);
    for (let due = clock.monotonic(); !stopping.signal.aborted; ) {
      if (set.look() !== 0 || clock.monotonic() >= due) {
        const renewing = renew();
        if (renewing) await renewing;
        due = clock.monotonic() + renewMilliseconds;
      }
      await clock.sleep(lookMilliseconds, stopping.signal);
    }
  };
  void keep();
  return () => stopping.abort();
}
