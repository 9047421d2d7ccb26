import { type ComposerText, composerTextKind } from '../../screen/composer-text.js';
import { runAt } from '../../screen/run-at.js';
import { runsFrom } from '../../screen/runs-from.js';
import type { StyledRow, StyledRun } from '../../screen/styled-rows.js';
import type { GeminiProfile } from './gemini-profile.js';

/**
 * The composer of Gemini CLI with what stands around it:
 *
 *      ⠴ Thinking... (esc to cancel, 2s)                  ? for shortcuts
 *     ─────────────────────────────────────────────────────────────────
 *      Shift+Tab to accept edits
 *
 *      >   Type your message or @path/to/file
 *
 *      workspace (/directory)           sandbox           /model
 */
export interface GeminiComposer {
  /** The rule above it. */
  rule: number;
  /** The first of the rows right above the rule that say what goes on. */
  status: number;
  kind: ComposerText;
  text: string;
  /** Rows of its text and of what stands below: a menu, the footer. */
  below: readonly StyledRow[];
}

const indent = 3;
const mostRowsToRule = 4;
const mostStatusRows = 4;

const isGlyphRow = (text: string): boolean => /^ [>*](?: |$)/.test(text);
const isRule = (text: string): boolean => /^─{8,}$/.test(text);
// Terminals with more colours get the padding of the composer drawn with half blocks.
const isPadding = (text: string): boolean => /^[▀▄]*$/.test(text);

/** What stands below a composer is indented, so that one with the prompt of a shell below it is none. */
export function findGeminiComposer(
  rows: readonly StyledRow[],
  profile: GeminiProfile,
): GeminiComposer | null {
  const floor = rows.findLastIndex((row) => !row.text.startsWith(' ') && !isPadding(row.text));
  if (!isRule(rows[floor]?.text ?? '')) return null;
  const row = rows.findIndex((each, index) => index > floor && isGlyphRow(each.text));
  if (row < 0 || row - floor > mostRowsToRule) return null;
  const hints = rows.slice(floor + 1, row).filter((each) => each.text.startsWith(' '));
  const last = lastRowOfText(rows, row);
  const text = rows.slice(row, last + 1);
  return {
    rule: floor,
    status: startOfStatus(rows, floor),
    kind: kindOf(text, hints, profile),
    text: text.map((each) => each.text.slice(indent)).join('\n'),
    below: rows.slice(last + 1),
  };
}

function startOfStatus(rows: readonly StyledRow[], rule: number): number {
  const gap = rows.findLastIndex((row, index) => index < rule && row.text === '');
  return Math.max(gap + 1, rule - mostStatusRows);
}

/** The last row of the text that follows, below it and indented as the text is. */
function lastRowOfText(rows: readonly StyledRow[], glyph: number): number {
  const end = rows.findIndex(
    (row, index) => index > glyph && !isPadding(row.text) && !/^ {3}/.test(row.text),
  );
  const last = rows.findLastIndex(
    (row, index) => (end < 0 || index < end) && (index === glyph || /^ {3}/.test(row.text)),
  );
  return Math.max(glyph, last);
}

function kindOf(
  text: readonly StyledRow[],
  hints: readonly StyledRow[],
  profile: GeminiProfile,
): ComposerText {
  const runs = text.flatMap((row) => runsFrom(row, indent));
  const quiet = new Set(hints.map((row) => row.runs.at(-1)?.foreground));
  const kind = isBehindCursor(runs)
    ? 'placeholder'
    : composerTextKind(runs, (run) => !quiet.has(run.foreground));
  return kind === 'draft' && !(profile.knowsDrafts && hasColours(text)) ? 'unknown' : kind;
}

/** The tool's own text begins behind a cursor that stands on a blank; with a draft it stands on a character or at the end. */
const isBehindCursor = ([cursor, next]: readonly StyledRun[]): boolean =>
  cursor?.inverse === true && cursor.text === ' ' && /^ \S/.test(next?.text ?? '');

/** The glyph has a colour wherever there are any. Without colours nothing tells a draft from the tool's own text. */
const hasColours = ([glyph]: readonly StyledRow[]): boolean =>
  glyph !== undefined && runAt(glyph, 1)?.foreground !== null;
