import type { DrawnScreen } from './screen.js';

const moveTo = (row: number, column: number): string => `\u001b[${row + 1};${column + 1}H`;
const clearRow = '\u001b[K';
const clearBelow = '\u001b[J';
const clearAll = '\u001b[2J\u001b[3J\u001b[H';

/**
 * Returns the output that turns one screen that fills the pane into another; `''` if they are equal. @param before null: any
 * screen.
 */
export function paintFull(before: DrawnScreen | null, after: DrawnScreen): string {
  const changed = after.rows.flatMap((row, index) =>
    before !== null && before.rows[index] === row ? [] : [`${moveTo(index, 0)}${row}${clearRow}`],
  );
  const surplus = before !== null && before.rows.length > after.rows.length;
  const cursor = moveTo(after.cursor.row, after.cursor.column);
  if (before === null) return `${clearAll}${changed.join('')}${cursor}`;
  if (changed.length === 0 && !surplus && isSame(before, after)) return '';
  const rest = surplus ? `${moveTo(after.rows.length, 0)}${clearBelow}` : '';
  return `${changed.join('')}${rest}${cursor}`;
}

/**
 * Like `paintFull`, for a screen that scrolls: its settled rows were printed once and stay. The cursor is left in its last row,
 * below everything.
 */
export function paintFlowing(before: DrawnScreen | null, after: DrawnScreen): string {
  if (before === null || before.settled > after.settled)
    return `${before === null ? '' : clearAll}${after.rows.join('\r\n')}`;
  if (
    before.rows.length === after.rows.length &&
    before.rows.every((row, index) => row === after.rows[index])
  )
    return '';
  const up = before.rows.length - before.settled - 1;
  const back = `\r${up > 0 ? `\u001b[${up}A` : ''}${clearBelow}`;
  return `${back}${after.rows.slice(before.settled).join('\r\n')}`;
}

const isSame = (before: DrawnScreen, after: DrawnScreen): boolean =>
  before.cursor.row === after.cursor.row && before.cursor.column === after.cursor.column;
