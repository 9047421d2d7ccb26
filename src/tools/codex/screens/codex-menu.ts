import { runAt } from '../../screen/run-at.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import type { CodexComposer } from './codex-composer.js';
import { isChosenEntry } from './codex-rows.js';

/**
 * The menu of slash commands, above the composer or below it.
 * @returns the first row of the menu, or of the composer where the menu stands below; null where there is none.
 */
export function findSlashMenu(rows: readonly StyledRow[], composer: CodexComposer): number | null {
  if (!composer.text.startsWith('/')) return null;
  return menuAbove(rows, composer) ?? menuBelow(rows, composer);
}

function menuAbove(rows: readonly StyledRow[], composer: CodexComposer): number | null {
  const last = composer.row - 2;
  if (rows[composer.row - 1]?.text !== '') return null;
  const first = rows.findLastIndex((row, index) => index <= last && !isEntry(row)) + 1;
  return rows.slice(first, last + 1).some(isChosenEntry) ? first : null;
}

function menuBelow(rows: readonly StyledRow[], composer: CodexComposer): number | null {
  const first = rows.findIndex((row, index) => index > composer.lastRow && row.text !== '');
  return first >= 0 && isEntry(rows[first]!) && isHighlighted(rows[first]!) ? composer.row : null;
}

const isEntry = (row: StyledRow): boolean => /^[› ] \/\S/.test(row.text);

function isHighlighted(row: StyledRow): boolean {
  const name = runAt(row, 2);
  return name !== null && (name.inverse || name.otherAttribute || name.foreground !== null || name.dim);
}
