import { type ComposerText, composerTextKind } from '../../screen/composer-text.js';
import { runAt } from '../../screen/run-at.js';
import { runsFrom } from '../../screen/runs-from.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import type { CodexProfile } from './codex-profile.js';
import { beginsWithPromptGlyph, isChosenEntry, isShellRow } from './codex-rows.js';

/** The composer of Codex, which is the last thing on its screen. */
export interface CodexComposer {
  /** The row of its glyph. */
  row: number;
  /** Its last row. */
  lastRow: number;
  kind: ComposerText;
  text: string;
}

/** Columns before the text: the glyph and a blank, in later rows two blanks. */
const indent = 2;

/**
 * What stands below a composer is indented: further rows of a draft, a menu, the footer. So a composer that a program
 * left behind, with the prompt of a shell below it, is none.
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
  // The glyph alone is a draft, too: what is typed behind it would run in a shell.
  if (shell) return { row, lastRow, kind: 'draft', text: `!${text}` };
  const kind = composerTextKind([glyph, ...further].flatMap((each) => runsFrom(each, indent)));
  return { row, lastRow, kind: kind === 'draft' && !profile.knowsDrafts ? 'unknown' : kind, text };
}

/** At the right edge of a composer that is lower than its text: there is more above, or below. */
const scrollMark = /\s{2,}[↑↓]$/;

const isIndented = (text: string): boolean => text === '' || text.startsWith(' ');

// The footer, or a menu, is styled and stands below a blank row; before both of them are drawn, only the text is there.
function lastRowOfText(rows: readonly StyledRow[], composer: number): number {
  const gap = rows.findLastIndex((row) => row.text === '');
  const hasFooter = gap > composer && rows.slice(gap + 1).some(isStyled);
  let last = hasFooter ? gap - 1 : rows.length - 1;
  while (last > composer && rows[last]?.text === '') last -= 1;
  return last;
}

const isStyled = (row: StyledRow): boolean =>
  row.runs.some((run) => run.dim || run.inverse || run.otherAttribute || run.foreground !== null);
