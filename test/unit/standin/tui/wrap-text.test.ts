import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf, wrapText } from '../../../../standin/src/tui/wrap-text.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', 'e\u0301', '👍', '\n', '…', '❯') });

describe('wrapped text', () => {
  test('fits, and loses nothing but blanks', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 12 }), (whole, width) => {
        const rows = wrapText(whole, width);
        for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(width);
        expect(rows.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
      }),
    );
  });

  test('is broken at blanks where it can be', () => {
    expect(wrapText('one two three', 8)).toEqual(['one two ', 'three']);
    expect(wrapText('a abcdefgh', 4)).toEqual(['a ', 'abcd', 'efgh']);
    expect(wrapText('x\n\ny', 9)).toEqual(['x', '', 'y']);
    expect(wrapText('', 9)).toEqual(['']);
  });

  test.each([
    ['漢字', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['❯ …', 3],
    ['ｆ', 2],
  ])('%j takes %d columns', (whole, columns) => {
    expect(columnsOf(whole)).toBe(columns);
  });
});
