import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationWords, parseDuration, toDeadline, toSeconds } from '../../../../src/cli/flags/options.js';

test.each([
  ['300', 300],
  ['0.5', 0.5],
  ['90s', 90],
  ['5m', 300],
  ['2h', 7200],
  ['1d', 86_400],
  ['1h30m', 5400],
])('%s is %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['', '5x', 'm', '-5', '30m1h', '1.5h', '5 m', 'soon', '1e3'])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});

test('what is written of whole seconds is read as the same', () => {
  fc.assert(
    fc.property(fc.nat(), (seconds) => {
      expect(parseDuration(durationWords(seconds))).toBe(seconds);
    }),
  );
});

describe('an option', () => {
  const read = toSeconds({ minimum: 1, maximum: 7200 });

  test('takes what is in its range', () => {
    expect([read('1s'), read('7200'), read('2h')]).toEqual([1, 7200, 7200]);
    expect(toSeconds({ fractions: true })('0.5')).toBe(0.5);
  });

  test.each(['0', '121m', '1.5', 'soon'])('refuses %j with the range and examples', (text) => {
    expect(() => read(text)).toThrow(
      'It must be a duration, from 1s to 2h: 90s, 5m, 2h, 1h30m, or a whole number of seconds such as 300.',
    );
  });
});

test('a deadline is a duration from now, or a date and time', () => {
  const now = new Date('2026-03-13T12:00:00Z');
  const read = (text: string): string => toDeadline(text)(now).toISOString();
  expect(read('90s')).toBe('2026-03-13T12:01:30.000Z');
  expect(read('1h30m')).toBe('2026-03-13T13:30:00.000Z');
  expect(read(' 2026-03-14T08:00:00+01:00 ')).toBe('2026-03-14T07:00:00.000Z');
  for (const text of ['', '0', 'soon', '2026-13-01', 'tomorrow 8:00'])
    expect(() => toDeadline(text)).toThrow('must be a duration from now');
});
