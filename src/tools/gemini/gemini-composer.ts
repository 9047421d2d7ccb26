import { type ComposerText, composerTextKind } from '../screen/frame-signals.js';
import type { VersionRange } from '../screen/screen-profile.js';
import { runAt, runsFrom, type StyledRow, type StyledRun } from '../screen/styled-rows.js';

/**
 * The composer of Gemini CLI and the rows around it:
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
  /** The row of the rule above it, as an index. */
  rule: number;
  /** The first of the rows right above the rule that show the current activity. */
  status: number;
  kind: ComposerText;
  text: string;
  /** The rows below its text: a menu, the footer. */
  below: readonly StyledRow[];
}

const indent = 3;
const mostRowsToRule = 4;
const mostStatusRows = 4;

const isGlyphRow = (text: string): boolean => /^ [>*](?: |$)/.test(text);
const isRule = (text: string): boolean => /^─{8,}$/.test(text);
// In terminals with more colours the padding of the composer is drawn with half blocks.
const isPadding = (text: string): boolean => /^[▀▄]*$/.test(text);

/** Finds the composer. The rows below a composer are indented, so a composer with a shell prompt below it does not count. */
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
  const lines = rows.slice(row, last + 1).map((each) => runsFrom(each, indent));
  const isTyped = typedUnlike(hints);
  const kind = isBehindCursor(lines.flat()) ? 'placeholder' : composerTextKind(lines.flat(), isTyped);
  const isKnown = profile.knowsDrafts && runAt(rows[row]!, 1)?.foreground !== null;
  return {
    rule: floor,
    status: startOfStatus(rows, floor),
    kind: kind === 'draft' && !isKnown ? 'unknown' : kind,
    text: [...lines.slice(0, -1), typedPart(lines.at(-1) ?? [], isTyped)].map(textOf).join('\n'),
    below: rows.slice(last + 1),
  };
}

function startOfStatus(rows: readonly StyledRow[], rule: number): number {
  const gap = rows.findLastIndex((row, index) => index < rule && row.text === '');
  return Math.max(gap + 1, rule - mostStatusRows);
}

/** Returns the last row of the composer's text: the rows after the glyph, as far as they are indented like text. */
function lastRowOfText(rows: readonly StyledRow[], glyph: number): number {
  const end = rows.findIndex(
    (row, index) => index > glyph && !isPadding(row.text) && !/^ {3}/.test(row.text),
  );
  const last = rows.findLastIndex(
    (row, index) => (end < 0 || index < end) && (index === glyph || /^ {3}/.test(row.text)),
  );
  return Math.max(glyph, last);
}

/**
 * Returns a test for typed text. The composer's own text, and a suggestion behind a draft, have the colour of the hints around
 * the composer. Without colours they look like typed text; the glyph has a colour wherever there are colours.
 */
function typedUnlike(hints: readonly StyledRow[]): (run: StyledRun) => boolean {
  const quiet = new Set(hints.map((row) => row.runs.at(-1)?.foreground));
  return (run) => run.foreground === null || !quiet.has(run.foreground);
}

/**
 * Recognizes the tool's own text: it begins behind a cursor on a blank. In a draft the cursor is on a character or at the end.
 */
const isBehindCursor = ([cursor, next]: readonly StyledRun[]): boolean =>
  cursor?.inverse === true && cursor.text === ' ' && /^ \S/.test(next?.text ?? '');

/** Returns a line without the suggestion at its end. The cursor may be on a character of either. */
function typedPart(line: readonly StyledRun[], isTyped: (run: StyledRun) => boolean): readonly StyledRun[] {
  const last = line.findLastIndex((run) => !run.inverse && !run.dim && isTyped(run));
  return line.slice(last + 1).every((run) => run.inverse) ? line : line.slice(0, last + 1);
}

const textOf = (line: readonly StyledRun[]): string => line.map((run) => run.text).join('');

/** The differences between the screens of Gemini CLI versions. */
export interface GeminiProfile {
  version: string;
  /** Text in the composer in another colour than its hints was typed. */
  knowsDrafts: boolean;
}

export const geminiProfiles: readonly VersionRange<GeminiProfile>[] = [
  { from: [0, 61, 0], before: [0, 62, 0], value: { version: '0.61.x', knowsDrafts: true } },
];

export const geminiFallback: GeminiProfile = { version: 'fallback', knowsDrafts: false };
