import { expect, it } from 'vitest';
import { readEscape } from '../../../../src/tools/screen/escape-sequences.js';

it.each([
  ['[1;38:5:9mrest', 'rest', '1;38:5:9'],
  ['[mrest', 'rest', ''],
  ['[?25hrest', 'rest', null],
  ['[1 mrest', 'rest', null],
  ['[12\nrest', '\nrest', null],
  [']0;title\u0007rest', 'rest', null],
  [']0;title\nrest', '\nrest', null],
  ['(Brest', 'rest', null],
  ['', '', null],
])('ESC and %j', (text, rest, sgr) => {
  const read = readEscape(`a\u001b${text}`, 1);
  expect(`a\u001b${text}`.slice(read.end)).toBe(rest);
  expect(read.sgr).toBe(sgr);
});
