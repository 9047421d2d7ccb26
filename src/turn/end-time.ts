import { toSecondStamp } from '../foundation/timestamps.js';

/**
 * When a turn ended. What its process left behind tells it also to who comes hours later; a time outside the turn, as of a
 * clock that was set meanwhile, tells nothing.
 * @param notedAtUtc the time at which somebody saw that.
 */
export function endTime(startedAtUtc: string, seen: Date | null, notedAtUtc: string): string {
  if (seen === null) return notedAtUtc;
  const stamp = toSecondStamp(seen);
  const isWithin =
    Date.parse(stamp) >= Date.parse(startedAtUtc) && Date.parse(stamp) <= Date.parse(notedAtUtc);
  return isWithin ? stamp : notedAtUtc;
}
