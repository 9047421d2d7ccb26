import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextDue } from '../../../../src/dispatch/reminders/reminder-set.js';

const moment = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2090, 0, 1) });
const wholeSeconds = fc.integer({ min: 1, max: 40_000_000 });
/** Everything that the contract takes. */
const anySeconds = fc.double({ min: Number.MIN_VALUE, max: 3155760000, noNaN: true });

test('is later than the end of the delivery, and at least an interval after the anchor', () => {
  fc.assert(
    fc.property(moment, anySeconds, moment, (anchor, interval, finished) => {
      const due = nextDue(anchor, interval, finished);
      expect(Number.isInteger(due)).toBe(true);
      expect(due).toBeGreaterThan(finished);
      expect(due).toBeGreaterThanOrEqual(anchor + interval * 1000);
    }),
  );
});

test('is the first point of the grid after the end', () => {
  fc.assert(
    fc.property(moment, wholeSeconds, moment, (anchor, interval, finished) => {
      const due = nextDue(anchor, interval, finished);
      expect((due - anchor) % (interval * 1000)).toBe(0);
      expect(due === anchor + interval * 1000 || due - interval * 1000 <= finished).toBe(true);
    }),
  );
});

test.each([
  ['in time', 0, 60, 1_000, 60_000],
  ['just before a point', 0, 60, 59_999, 60_000],
  ['on a point', 0, 60, 60_000, 120_000],
  ['late: the missed ones are not made up for', 0, 60, 3_601_000, 3_660_000],
  ['before the anchor, the clock having been set back', 100_000, 60, 0, 160_000],
])('after a delivery that ended %s', (_name, anchor, interval, finished, due) => {
  expect(nextDue(anchor, interval, finished)).toBe(due);
});
