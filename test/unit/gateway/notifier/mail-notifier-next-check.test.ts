import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextCheck, pauseAfter, type WakeState } from '../../../../src/gateway/notifier/mail-notifier.js';

const calm: WakeState = {
  due: 60_000,
  changed: false,
  waiting: false,
  again: 0,
  notBefore: 0,
  noticeUnderWay: false,
};
const moment = fc.integer({ min: 0, max: 100_000 });
const state: fc.Arbitrary<WakeState> = fc.record({
  due: moment,
  changed: fc.boolean(),
  waiting: fc.boolean(),
  again: moment,
  notBefore: moment,
  noticeUnderWay: fc.boolean(),
});

test.each([
  ['nothing to do', calm, 1000, { sleep: 10_000 }],
  ['the interval is nearly over', calm, 59_000, { sleep: 1000 }],
  ['the interval is over', calm, 60_000, { look: 'interval' }],
  ['a change', { ...calm, changed: true }, 1000, { look: 'change' }],
  ['a change after a prompt that failed', { ...calm, changed: true, notBefore: 3000 }, 1000, { sleep: 2000 }],
  ['mail that waits', { ...calm, waiting: true, again: 1500 }, 1000, { sleep: 500 }],
  ['it is asked again', { ...calm, waiting: true, again: 1500 }, 1500, { look: 'change' }],
  ['the agent may be free', { ...calm, waiting: true, changed: true, again: 1500 }, 1000, { look: 'change' }],
  ['a prompt is under way', { ...calm, noticeUnderWay: true }, 1000, { sleep: 1000 }],
  ['over at last', { ...calm, changed: true, notBefore: 90_000 }, 60_000, { look: 'interval' }],
] as const)('%s', (_what, given, now, next) => {
  expect(nextCheck(given, now)).toEqual(next);
});

test('it never sleeps past the end of the interval, nor past what waits, and never without an end', () => {
  fc.assert(
    fc.property(state, moment, (given, now) => {
      const next = nextCheck(given, now);
      if ('look' in next) return;
      expect(next.sleep).toBeGreaterThan(0);
      expect(next.sleep).toBeLessThanOrEqual(10_000);
      expect(now + next.sleep).toBeLessThanOrEqual(given.due);
      // The change for which it wakes is there when it wakes.
      if (given.changed) expect(nextCheck({ ...given, again: 0 }, given.notBefore)).toHaveProperty('look');
    }),
  );
});

test('pauses double, and end with the interval', () => {
  expect([1, 2, 3, 4].map((failures) => pauseAfter(failures, 5))).toEqual([1000, 2000, 4000, 5000]);
  expect(pauseAfter(2000, 3600)).toBe(3_600_000);
});
