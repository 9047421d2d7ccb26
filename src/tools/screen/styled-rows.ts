import {
  escapeCharacter,
  type Pen,
  penAfter,
  plainPen,
  readEscape,
  rememberedPens,
} from './escape-sequences.js';

/** Consecutive characters of one style. */
export interface StyledRun {
  text: string;
  dim: boolean;
  inverse: boolean;
  /** Bold, italic, underlined or anything else that is not a colour. */
  otherAttribute: boolean;
  /** As in the capture, such as `5;231`, `2;255;0;0` or `31`; null for the default. */
  foreground: string | null;
  background: string | null;
}

/** One row of a pane: its text without escape sequences and trailing blanks, U+00A0 as a blank, and the same text in runs. */
export interface StyledRow {
  text: string;
  runs: readonly StyledRun[];
}

/**
 * Parses the output of `tmux capture-pane -p -e` into rows. Only LF and CRLF end a row. Empty rows at the end are left out.
 * @param lastRows how many rows at the end are returned; a style that began in an earlier row is still applied.
 */
export function toStyledRows(capture: string, lastRows = Number.POSITIVE_INFINITY): StyledRow[] {
  const first = startOfLastRows(capture, lastRows);
  const rows: StyledRow[] = [];
  const next = rememberedPens();
  let pen = penAt(capture, first, next);
  let filled = 0;
  for (let start = first; start < capture.length; ) {
    const end = endOfRow(capture, start);
    const { row, penAfterwards } = readRow(rowAt(capture, start, end), pen, next);
    rows.push(row);
    if (row.text !== '') filled = rows.length;
    pen = penAfterwards;
    start = end + 1;
  }
  return rows.slice(0, filled);
}

function endOfRow(capture: string, start: number): number {
  const end = capture.indexOf('\n', start);
  return end < 0 ? capture.length : end;
}

function rowAt(capture: string, start: number, end: number): string {
  const row = capture.slice(start, end);
  return end < capture.length && row.endsWith('\r') ? row.slice(0, -1) : row;
}

type NextPen = typeof penAfter;

function readRow(text: string, before: Pen, next: NextPen): { row: StyledRow; penAfterwards: Pen } {
  const runs: StyledRun[] = [];
  let pen = before;
  for (let at = 0; at < text.length; ) {
    if (text[at] === escapeCharacter) {
      const sequence = readEscape(text, at);
      if (sequence.sgr !== null) pen = next(pen, sequence.sgr);
      at = sequence.end;
    } else {
      const nextEscape = text.indexOf(escapeCharacter, at);
      const end = nextEscape < 0 ? text.length : nextEscape;
      addRun(runs, readable(text.slice(at, end)), pen);
      at = end;
    }
  }
  dropTrailingBlanks(runs);
  return { row: { text: runs.map((run) => run.text).join(''), runs }, penAfterwards: pen };
}

// tmux writes SO and SI around line-drawing characters of old terminals.
const readable = (text: string): string =>
  isPlain(text) ? text : text.replaceAll('\u00a0', ' ').replaceAll('\u000e', '').replaceAll('\u000f', '');

const isPlain = (text: string): boolean =>
  !text.includes('\u00a0') && !text.includes('\u000e') && !text.includes('\u000f');

function addRun(runs: StyledRun[], text: string, pen: Pen): void {
  if (text === '') return;
  const run: StyledRun = {
    text,
    dim: pen.dim,
    inverse: pen.inverse,
    otherAttribute: pen.others !== 0,
    foreground: pen.foreground,
    background: pen.background,
  };
  const previous = runs.at(-1);
  if (previous !== undefined && sameStyle(previous, run)) previous.text += text;
  else runs.push(run);
}

const sameStyle = (one: StyledRun, other: StyledRun): boolean =>
  one.dim === other.dim &&
  one.inverse === other.inverse &&
  one.otherAttribute === other.otherAttribute &&
  one.foreground === other.foreground &&
  one.background === other.background;

function dropTrailingBlanks(runs: StyledRun[]): void {
  for (let last = runs.at(-1); last !== undefined; last = runs.at(-1)) {
    let length = last.text.length;
    while (length > 0 && isBlank(last.text[length - 1]!)) length -= 1;
    if (length > 0) {
      last.text = last.text.slice(0, length);
      return;
    }
    runs.pop();
  }
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t';

function startOfLastRows(capture: string, lastRows: number): number {
  if (lastRows === Number.POSITIVE_INFINITY) return 0;
  let wanted = lastRows;
  let end = capture.length;
  let reachedText = false;
  while (end > 0) {
    const start = capture.lastIndexOf('\n', end - 1) + 1;
    reachedText ||= readRow(rowAt(capture, start, end), plainPen, penAfter).row.text !== '';
    if (reachedText) wanted -= 1;
    if (wanted <= 0) return start;
    end = start - 1;
  }
  return 0;
}

/** Returns the pen at a place. It reads from the last sequence before it that begins with a reset, so it reads little. */
function penAt(text: string, place: number, next: NextPen): Pen {
  if (place === 0) return plainPen;
  let at = Math.max(0, startOfLastReset(text, place));
  let pen = plainPen;
  for (;;) {
    at = text.indexOf(escapeCharacter, at);
    if (at < 0 || at >= place) return pen;
    const sequence = readEscape(text, at);
    if (sequence.sgr !== null) pen = next(pen, sequence.sgr);
    at = sequence.end;
  }
}

function startOfLastReset(text: string, place: number): number {
  let at = place;
  do {
    at = at === 0 ? -1 : text.lastIndexOf(`${escapeCharacter}[0`, at - 1);
  } while (at >= 0 && !/^0(?:;|$)/.test(readEscape(text, at).sgr ?? ''));
  return at;
}

/** Returns the run that contains a character of the row's text; null beyond its end. */
export function runAt(row: StyledRow, index: number): StyledRun | null {
  let end = 0;
  for (const run of row.runs) {
    end += run.text.length;
    if (index < end) return run;
  }
  return null;
}

/** Returns the runs of a row, starting at a place in its text. */
export function runsFrom(row: StyledRow, start: number): StyledRun[] {
  const runs: StyledRun[] = [];
  let at = 0;
  for (const run of row.runs) {
    const text = run.text.slice(Math.max(0, start - at));
    at += run.text.length;
    if (text !== '') runs.push({ ...run, text });
  }
  return runs;
}

/**
 * The number of rows at the end of a capture that a reader of screens needs. They hold the composer, a dialog and the end of the
 * tool's last output. A prompt may stand further up, above a long answer, whose end is enough. So a poll does not parse thousands
 * of lines of scrollback: `toStyledRows(capture, rowsRead)`.
 */
export const rowsRead = 300;
