import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toSecondStamp } from '../../../src/foundation/clock.js';
import { endTime } from '../../../src/turn/turn-end.js';

const time = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
const later = fc.integer({ min: 0, max: 86_400_000 });
const plus = (date: Date, milliseconds: number): Date => new Date(date.getTime() + milliseconds);

describe('the end of a turn', () => {
  test('is when its process ended, however late that is seen', () => {
    fc.assert(
      fc.property(time, later, later, (started, ran, unseen) => {
        const ended = plus(started, ran);
        const reported = endTime(toSecondStamp(started), ended, toSecondStamp(plus(ended, unseen)));
        expect(reported).toBe(toSecondStamp(ended));
      }),
    );
  });

  test('is when it was noted, where nothing tells it or a clock was set', () => {
    fc.assert(
      fc.property(time, later, later, fc.boolean(), (started, ran, beside, before) => {
        const noted = plus(started, ran);
        const impossible = before ? plus(started, -1000 - beside) : plus(noted, 1000 + beside);
        const stamp = toSecondStamp(noted);
        expect(endTime(toSecondStamp(started), null, stamp)).toBe(stamp);
        expect(endTime(toSecondStamp(started), impossible, stamp)).toBe(stamp);
      }),
    );
  });
});
