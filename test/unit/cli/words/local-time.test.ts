import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ageWords, localStamp, localTime } from '../../../../src/cli/words/local-time.js';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});
const at = (hour: string): Date => new Date(`2026-03-13T${hour}Z`);

test('a time is that of the zone of this machine, with its date where that is not today', () => {
  process.env.TZ = 'Asia/Kolkata';
  expect(localTime('2026-03-13T08:33:22.041000+00:00', at('08:35:22'))).toBe('14:03:22 (2 min ago)');
  // Today there began at 18:30 of UTC.
  expect(localTime('2026-03-13T18:29:59Z', at('18:30:09'))).toBe('2026-03-13 23:59:59 (10 s ago)');
  expect(localTime('2026-03-13T18:30:00Z', at('18:29:00'))).toBe('2026-03-14 00:00:00 (in 60 s)');
  expect(localTime('2026-03-13T14:03:22+05:30', at('08:33:22'))).toBe('14:03:22 (now)');
  expect(localStamp('2026-03-13T08:33:22.041Z')).toBe('2026-03-13 14:03:22');
});

test.each([
  [0, 'now'],
  [499, 'now'],
  [1_000, '1 s ago'],
  [119_000, '119 s ago'],
  [120_000, '2 min ago'],
  [90 * 60_000, '90 min ago'],
  [-3 * 3_600_000, 'in 3 h'],
  [49 * 3_600_000, '2 days ago'],
])('%d ms are %s', (milliseconds, words) => {
  expect(ageWords(milliseconds)).toBe(words);
});

test('an age says what it is, rounded down to its unit, and the future is never past', () => {
  const size = { s: 1, min: 60, h: 3600, days: 86_400 };
  fc.assert(
    fc.property(fc.integer({ min: -1e13, max: 1e13 }), (milliseconds) => {
      const words = ageWords(milliseconds);
      const seconds = Math.round(Math.abs(milliseconds) / 1000);
      if (seconds === 0) {
        expect(words).toBe('now');
        return;
      }
      const [, ahead, amount, unit, past] = /^(in )?(\d+) (s|min|h|days)( ago)?$/.exec(words) ?? [];
      expect([ahead !== undefined, past !== undefined]).toEqual([milliseconds < 0, milliseconds > 0]);
      const reported = Number(amount) * size[unit as keyof typeof size];
      expect(reported).toBeLessThanOrEqual(seconds);
      expect(seconds - reported).toBeLessThan(size[unit as keyof typeof size]);
    }),
  );
});

test('what is no time is shown as it is', () => {
  expect([localTime('soon', at('08:00:00')), localStamp('soon')]).toEqual(['soon', 'soon']);
});
