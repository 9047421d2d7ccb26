/** The first and last code points of ranges of characters that take two columns. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Returns the number of columns that a text takes in a terminal. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += characterColumns(character);
  return columns;
}

function characterColumns(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/**
 * Wraps a text into rows of at most `width` columns, at a blank if there is one. Only blanks at the end of a row are lost. A
 * width of less than two columns counts as two.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(2, width)));
}

function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let row = '';
  let columns = 0;
  for (const word of line.match(/\s+|\S+/gu) ?? []) {
    const size = columnsOf(word);
    if (columns + size <= width) {
      row += word;
      columns += size;
      continue;
    }
    const blank = /^\s/u.test(word);
    if (row !== '') rows.push(row);
    const pieces = blank ? [''] : cut(word, width);
    rows.push(...pieces.slice(0, -1));
    row = pieces.at(-1) ?? '';
    columns = columnsOf(row);
  }
  return [...rows, row];
}

/** Returns the beginning of a text that fits into `columns`. */
export const firstColumns = (text: string, columns: number): string => cut(text, columns)[0] ?? '';

/** Cuts a word into pieces of at most `width` columns; a character without columns stays with the one before it. */
function cut(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const character of word) {
    const size = characterColumns(character);
    if (columns + size > width) {
      pieces.push(piece);
      piece = '';
      columns = 0;
    }
    piece += character;
    columns += size;
  }
  return [...pieces, piece];
}
