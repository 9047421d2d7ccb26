import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runAt, toStyledRows } from '../../../../src/tools/screen/styled-rows.js';

it('is the run that has the character', () => {
  const row = toStyledRows('ab\u001b[2mcd\u001b[0me')[0]!;
  expect([0, 1, 2, 3, 4, 5].map((index) => runAt(row, index)?.text)).toEqual([
    'ab',
    'ab',
    'cd',
    'cd',
    'e',
    undefined,
  ]);
  expect(runAt(row, 5)).toBeNull();
});

it('there is one for each character of a row, and none beyond', () => {
  const parts = fc.array(fc.constantFrom('x', 'yz', ' ', '\u001b[2m', '\u001b[7m', '\u001b[0m'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(parts, (all) => {
      const row = toStyledRows(`a${all.join('')}`)[0]!;
      for (let index = 0; index < row.text.length; index += 1) {
        expect(runAt(row, index)?.text).toContain(row.text[index]);
      }
      expect(runAt(row, row.text.length)).toBeNull();
    }),
  );
});
