import { table } from './terminal-output.js';

/** A column that can be read with less, and which end of it says more. */
export interface Shrinking {
  readonly column: number;
  readonly keep: 'beginning' | 'end';
}

/** Of a column not less than this is left. */
const leastWidth = 8;

/**
 * A table that fits into a window: where it does not, cells of the columns that may shrink are cut, those of the first one first.
 *
 * @param width columns of the window; null leaves the table as it is
 */
export function fittedTable(
  rows: readonly (readonly string[])[],
  width: number | null,
  shrinking: readonly Shrinking[],
): string[] {
  let fitted = rows;
  for (const { column, keep } of shrinking) {
    const excess = width === null ? 0 : Math.max(0, ...table(fitted).map((line) => line.length)) - width;
    if (excess <= 0) break;
    const widest = Math.max(...fitted.map((row) => row[column]?.length ?? 0));
    const left = Math.max(leastWidth, widest - excess);
    fitted = fitted.map((row) => row.map((cell, index) => (index === column ? cut(cell, left, keep) : cell)));
  }
  return table(fitted);
}

function cut(cell: string, width: number, keep: Shrinking['keep']): string {
  if (cell.length <= width) return cell;
  return keep === 'end' ? `…${cell.slice(1 - width)}` : `${cell.slice(0, width - 1)}…`;
}
