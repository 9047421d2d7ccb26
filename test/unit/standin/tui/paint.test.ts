import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paintFlowing, paintFull } from '../../../../standin/src/tui/paint.js';
import type { DrawnScreen } from '../../../../standin/src/tui/screen.js';

/** As much of a terminal as painting needs, without wrapping: rows, a cursor, what is above the first row. */
function painted(rows: readonly string[], cursor: number, bytes: string): { rows: string[]; cursor: number } {
  const grid = [...rows];
  let [row, column] = [cursor, 0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is read.
  for (const [piece] of bytes.matchAll(/\u001b\[[\d;]*[A-Z]|[^\u001b]/g)) {
    const [, first = '', last = ''] = /\[([\d;]*)([A-Z])$/.exec(piece) ?? [];
    const line = grid[row] ?? '';
    if (piece === '\r') column = 0;
    else if (piece === '\n') row += 1;
    else if (last === 'H')
      [row, column] = first.split(';').map((part) => Number(part || 1) - 1) as [number, number];
    else if (last === 'A') row = Math.max(0, row - Number(first));
    else if (last === 'K') grid[row] = line.slice(0, column);
    else if (last === 'J') grid.splice(first === '' ? row : 0);
    else if (last === '') {
      grid[row] = line.slice(0, column).padEnd(column) + piece + line.slice(column + 1);
      column += 1;
    }
    if (last === 'H' && first === '') [row, column] = [0, 0];
  }
  return { rows: Array.from(grid, (line) => line ?? ''), cursor: row };
}

const rowsOf = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});
const drawn = (rows: readonly string[], settled = 0): DrawnScreen => ({
  rows,
  cursor: { row: rows.length - 1, column: 0 },
  settled,
});
const trimmed = (rows: readonly string[]) => rows.join('\n').trimEnd();

describe('painting', () => {
  test('makes one screen of another, and writes only what differs', () => {
    fc.assert(
      fc.property(rowsOf, rowsOf, (before, after) => {
        const bytes = paintFull(drawn(before), drawn(after));
        expect(trimmed(painted(before, 0, bytes).rows)).toBe(trimmed(after));
        after.forEach((row, index) => {
          expect(bytes.includes(`\u001b[${index + 1};1H${row}\u001b[K`)).toBe(before[index] !== row);
        });
      }),
    );
  });

  test('writes nothing for the same screen', () => {
    fc.assert(
      fc.property(rowsOf, (rows) => {
        expect(paintFull(drawn(rows), drawn(rows))).toBe('');
        expect(paintFlowing(drawn(rows, 1), drawn(rows, 1))).toBe('');
      }),
    );
    const screen = drawn(['a', 'b']);
    expect(paintFull(screen, { ...screen, cursor: { row: 0, column: 1 } })).toBe('\u001b[1;2H');
  });

  test('of a screen that scrolls keeps its settled rows and makes the others again', () => {
    fc.assert(
      fc.property(rowsOf, rowsOf, rowsOf, (settled, before, after) => {
        const one = drawn([...settled, ...before], settled.length);
        const other = drawn([...settled, ...after], settled.length);
        const first = painted([], 0, paintFlowing(null, one));
        const bytes = paintFlowing(one, other);
        expect(trimmed(painted(first.rows, first.cursor, bytes).rows)).toBe(trimmed(other.rows));
      }),
    );
  });

  test('begins again when what had settled is gone', () => {
    const bytes = paintFlowing(drawn(['a', 'b', 'c'], 2), drawn(['x', 'y'], 1));
    expect(painted(['old', 'older'], 1, bytes).rows).toEqual(['x', 'y']);
  });
});
