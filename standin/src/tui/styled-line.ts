import { columnsOf, firstColumns } from './wrap-text.js';

/** Characters of one style: parameters of an SGR sequence, `''` for none. */
export interface TextRun {
  text: string;
  style: string;
}

/** A row of the screen. */
export type StyledLine = readonly TextRun[];

/** The colours that Claude Code uses. */
export const styles = {
  accent: '38;5;174',
  answer: '38;5;231',
  bold: '1',
  choice: '38;5;153',
  cursor: '7',
  dim: '2',
  failure: '38;5;211',
  frame: '38;5;239',
  grey: '38;5;246',
  prompt: '38;5;231;48;5;237',
  promptGlyph: '38;5;246;48;5;237',
  rule: '38;5;244',
  warning: '38;5;220',
} as const;

export const run = (text: string, style = ''): TextRun => ({ text, style });

export const blankLine: StyledLine = [];

/** Cuts a row off at a width. */
export function clipped(line: StyledLine, width: number): StyledLine {
  let room = width;
  return line.map(({ text, style }) => {
    const shown = room > 0 ? firstColumns(text, room) : '';
    // After a character that did not fit, none of the rest fits either.
    room = shown === text ? room - columnsOf(shown) : 0;
    return { text: shown, style };
  });
}

/** Returns a row as bytes for a terminal: each style is ended after its text. */
export function toBytes(line: StyledLine): string {
  return line.map(({ text, style }) => (style === '' ? text : `\u001b[${style}m${text}\u001b[0m`)).join('');
}
