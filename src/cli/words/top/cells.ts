import stringWidth from 'fast-string-width';
import { sanitiseLine } from '../../../foundation/text.js';

/** Returns the columns of a terminal that a text takes: wide characters take two. */
export const widthOf = (text: string): number => stringWidth(text);

/** Fits a text into that many columns: it is cut, with `…` at its end, or filled up with blanks. */
export function cell(text: string, columns: number): string {
  const shown = shortened(text, columns);
  return shown + ' '.repeat(columns - widthOf(shown));
}

/** Makes one line of a text, of at most that many columns, without control characters. */
export const shortened = (text: string, columns: number): string => cut(sanitiseLine(text), columns);

/** Cuts a line that takes more than that many columns. */
export function cut(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  return columns < 1 ? '' : `${beginningOf(line, columns - 1)}…`;
}

const graphemes = new Intl.Segmenter();

/** Returns the characters at the beginning of a line that fit into that many columns. */
function beginningOf(line: string, columns: number): string {
  let shown = '';
  for (const { segment } of graphemes.segment(line)) {
    if (widthOf(shown + segment) > columns) break;
    shown += segment;
  }
  return shown;
}

/** Breaks a text into rows of at most that many columns. */
export function rowsOf(text: string, columns: number): string[] {
  return text.split('\n').flatMap((part) => {
    const rows: string[] = [];
    for (let left = sanitiseLine(part); left !== ''; ) {
      // A character that is wider than the window stands alone.
      const fits = beginningOf(left, columns) || firstOf(left);
      const blank = fits.length < left.length ? left.lastIndexOf(' ', fits.length) : -1;
      const row = blank > 0 ? left.slice(0, blank) : fits;
      rows.push(row);
      left = left.slice(row.length).trimStart();
    }
    return rows.length === 0 ? [''] : rows;
  });
}

const firstOf = (line: string): string => [...graphemes.segment(line)][0]?.segment ?? line;
