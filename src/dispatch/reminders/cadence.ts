/**
 * When a repeating reminder is due again: the first point of its grid after the end of the delivery. However long that
 * took, or the machine slept, there is one next time and no burst (docs/decisions.md#cadence).
 * @param anchor the first moment of the grid; it and `finished` are milliseconds since 1970.
 * @returns whole milliseconds, later than `finished` and never earlier than one interval after the anchor.
 */
export function nextDue(anchor: number, intervalSeconds: number, finished: number): number {
  // A grid finer than a millisecond has a point in every millisecond.
  const interval = Math.max(1, intervalSeconds * 1000);
  const steps = Math.max(1, Math.floor((finished - anchor) / interval) + 1);
  return Math.max(Math.ceil(anchor + interval * steps), Math.floor(finished) + 1);
}
