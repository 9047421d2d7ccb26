import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { keysTrouble, toKeys } from '../../../../src/cli/flags/options.js';

test.each([
  ['/model<[Enter]>', false, null],
  [' ', false, null],
  ['/model<[Entr]>', true, null],
  ['/model<[Entr]>', false, expect.stringContaining('<[Entr]>')],
  ['a\u0003', true, expect.stringContaining('U+0003')],
  ['', false, expect.any(String)],
  ['', true, expect.any(String)],
])('of the keys %j, literal %s, is said why they cannot be typed', (sequence, literal, trouble) => {
  expect(keysTrouble(sequence, literal)).toEqual(trouble);
});

test('keys as the value of an option are taken as they are, or refused as a value', () => {
  expect(toKeys('y<[Enter]>')).toBe('y<[Enter]>');
  expect(() => toKeys('<[Entr]>')).toThrow(InvalidArgumentError);
});
