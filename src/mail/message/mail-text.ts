import { firstCodePoints } from '../../foundation/text.js';

// Text as Python sees it, which wrote the rules of the format: what counts as white space and as the end of a line differs
// from JavaScript on U+0085, U+FEFF and U+001C to U+001F.

const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leading = new RegExp(`^[${space}]+`);
const anyWord = new RegExp(`[^${space}]+`, 'g');
const isSpace = new RegExp(`[${space}]`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends lines there.
const lineEnd = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** By hand: a pattern that looks for blanks at the end is slow on a text that is full of them. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export const strip = (text: string): string => stripEnd(text.replace(leading, ''));

export const isBlank = (text: string): boolean => strip(text) === '';

/** The lines without their ends. An end behind the last line begins no further one. */
export function splitLines(text: string): string[] {
  const lines = text.split(lineEnd);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The words between white space. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(anyWord)) yield word;
}

/** A surrogate pair is one. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether it can be written as UTF-8: no half of a surrogate pair stands alone. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** CRLF and a lone CR become LF, as a Python program reads them from a file. */
export const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;

const longestPreview = 240;

/** The beginning of a body on one line, in code points. */
export function bodyPreview(body: string): string {
  const words: string[] = [];
  let length = -1;
  // A body may have millions of words.
  for (const word of wordsOf(body)) {
    words.push(word);
    length += word.length + 1;
    if (length > 2 * longestPreview) break;
  }
  const line = words.join(' ');
  return countCodePoints(line) <= longestPreview ? line : `${firstCodePoints(line, longestPreview - 3)}...`;
}

/**
 * Pure: what a sender calls a file, without the places that stand before it, and without what is invisible or turns a text around, by
 * which `txt.exe` would look like `exe.txt`.
 */
export const bareFileName = (text: string): string => text.replace(/^.*[/\\]/su, '').replace(/\p{Cf}/gu, '');
