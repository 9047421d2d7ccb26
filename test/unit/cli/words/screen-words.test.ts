import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fittedRow, questionRows } from '../../../../src/cli/words/screen-words.js';

test('rules and boxes of a wide screen are drawn as wide as the window', () => {
  const rule = '─'.repeat(220);
  const boxed = `│ Allow it?${' '.repeat(208)}│`;
  expect(questionRows(`${rule}\n${boxed}\n\n1. Yes`, 24)).toEqual([
    `  ${'─'.repeat(22)}`,
    `  │ Allow it?${' '.repeat(10)}│`,
    '',
    '  1. Yes',
  ]);
});

test('where there is no window, nothing is cut', () => {
  expect(questionRows('─'.repeat(220), null)).toEqual([`  ${'─'.repeat(220)}`]);
});

test('no word is cut, and a row is only wider than the window where nothing of it is drawn twice', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(' ', '─', '═', '▔').chain((drawn) => fc.nat(60).map((times) => drawn.repeat(times))),
  );
  const words = (row: string) => row.split(/[ \u2500-\u259f]+/);
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 80 }), (pieces, width) => {
      const row = pieces.join('');
      const fitted = fittedRow(row, width);
      expect(words(fitted)).toEqual(words(row));
      if (row.length <= width) expect(fitted).toBe(row);
      else if (fitted.length > width) expect(fitted).not.toMatch(/([ \u2500-\u259f])\1/);
      else expect(fitted.length).toBe(width);
    }),
  );
});
