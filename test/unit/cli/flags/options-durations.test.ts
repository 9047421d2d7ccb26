import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationWords, parseDuration, toSeconds } from '../../../../src/cli/flags/options.js';

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
