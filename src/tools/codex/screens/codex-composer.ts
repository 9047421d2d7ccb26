import { type ComposerText, composerTextKind } from '../../screen/frame-signals.js';
import { runAt, runsFrom, type StyledRow } from '../../screen/styled-rows.js';
import { beginsWithPromptGlyph, type CodexProfile, isChosenEntry, isShellRow } from './codex-screen-rules.js';

/** The composer of Codex, the last element on its screen. */
export interface CodexComposer {
  /** The row of its glyph, as an index. */
  row: number;
  /** Its last row. */
  lastRow: number;
  kind: ComposerText;
  text: string;
}

/** Columns before the text: the glyph and a blank, in later rows two blanks. */
const indent = 2;

/**
 * Finds the composer. The rows below a composer are indented (further rows of a draft, a menu, the footer), so a composer that an
 * ended program left behind, with a shell prompt below it, does not count.
 */
export function findComposer(rows: readonly StyledRow[], profile: CodexProfile): CodexComposer | null {
  const row = rows.findLastIndex((each) => !isIndented(each.text) && !isChosenEntry(each));
  const glyph = rows[row];
  if (glyph === undefined) return null;
  const shell = isShellRow(glyph);
  if (!shell && (!beginsWithPromptGlyph(glyph) || runAt(glyph, 0)?.dim === true)) return null;
  const lastRow = lastRowOfText(rows, row);
  const further = rows.slice(row + 1, lastRow + 1);
  const text = [glyph, ...further].map((each) => each.text.slice(indent).replace(scrollMark, '')).join('\n');
  // The glyph alone is a draft too: text that is typed behind it would run in a shell.
  if (shell) return { row, lastRow, kind: 'draft', text: `!${text}` };
  const kind = composerTextKind([glyph, ...further].flatMap((each) => runsFrom(each, indent)));
  return { row, lastRow, kind: kind === 'draft' && !profile.knowsDrafts ? 'unknown' : kind, text };
}

/** The mark at the right edge of a composer that is lower than its text: there is more text above or below. */
const scrollMark = /\s{2,}[↑↓]$/;

const isIndented = (text: string): boolean => text === '' || text.startsWith(' ');

// The footer, or a menu, is styled and stands below a blank row. Until both are drawn, only the text is on the screen.
function lastRowOfText(rows: readonly StyledRow[], composer: number): number {
  const gap = rows.findLastIndex((row) => row.text === '');
  const hasFooter = gap > composer && rows.slice(gap + 1).some(isStyled);
  let last = hasFooter ? gap - 1 : rows.length - 1;
  while (last > composer && rows[last]?.text === '') last -= 1;
  return last;
}

const isStyled = (row: StyledRow): boolean =>
  row.runs.some((run) => run.dim || run.inverse || run.otherAttribute || run.foreground !== null);

/**
 * Finds the menu of slash commands, above the composer or below it.
 * @returns the first row of the menu, or of the composer if the menu stands below; null if there is no menu.
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
