import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fittedTable } from '../../../../src/cli/words/terminal-output.js';

const rows = [
  ['NAME', 'SESSION'],
  ['alpha', '/runtime/sessions/one-of-them'],
];

test('a table that has room, or no window, stays as it is', () => {
  const whole = ['NAME   SESSION', 'alpha  /runtime/sessions/one-of-them'];
  expect(fittedTable(rows, null, [{ column: 1, keep: 'end' }])).toEqual(whole);
  expect(fittedTable(rows, 36, [{ column: 1, keep: 'end' }])).toEqual(whole);
});

test('what may shrink is cut at the end that says less', () => {
  expect(fittedTable(rows, 20, [{ column: 1, keep: 'end' }])[1]).toBe('alpha  …/one-of-them');
  expect(fittedTable(rows, 20, [{ column: 1, keep: 'beginning' }])[1]).toBe('alpha  /runtime/ses…');
});

test('no line is wider than the window, as long as the columns leave room', () => {
  const cell = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/\s/g, 'x'));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell), { minLength: 1 }),
      fc.integer({ min: 18, max: 90 }),
      (all, width) => {
        const shrinking = [
          { column: 1, keep: 'end' },
          { column: 0, keep: 'beginning' },
        ] as const;
        for (const line of fittedTable(all, width, shrinking)) expect(line.length).toBeLessThanOrEqual(width);
      },
    ),
  );
});
