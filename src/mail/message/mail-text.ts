import { firstCodePoints } from '../../foundation/text.js';

// Text as Python treats it, in which the rules of the format were written: white space and the ends of lines differ from
// JavaScript at U+0085, U+FEFF and U+001C to U+001F.

const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leading = new RegExp(`^[${space}]+`);
const anyWord = new RegExp(`[^${space}]+`, 'g');
const isSpace = new RegExp(`[${space}]`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends lines there.
const lineEnd = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** Removes white space at the end with a loop: a regular expression for it is slow on a text that is full of blanks. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export const strip = (text: string): string => stripEnd(text.replace(leading, ''));

export const isBlank = (text: string): boolean => strip(text) === '';

/** Returns the lines without their ends. An end behind the last line begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.split(lineEnd);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Yields the words between white space. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(anyWord)) yield word;
}

/** Counts Unicode characters; a surrogate pair is one. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Decides whether a text can be written as UTF-8: it has no half of a surrogate pair alone. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Turns CRLF and a lone CR into LF, as a Python program reads them from a file. */
export const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;

const longestPreview = 240;

/** Returns the beginning of a body on one line; its length is limited in code points. */
export function bodyPreview(body: string): string {
  const words: string[] = [];
  let length = -1;
  // A body may have millions of words; only the first ones are read.
  for (const word of wordsOf(body)) {
    words.push(word);
    length += word.length + 1;
    if (length > 2 * longestPreview) break;
  }
  const line = words.join(' ');
  return countCodePoints(line) <= longestPreview ? line : `${firstCodePoints(line, longestPreview - 3)}...`;
}

/**
 * Pure: returns a sender's name for a file without the folders before it, and without characters that are invisible or reverse
 * the text, by which `txt.exe` would look like `exe.txt`.
 */
export const bareFileName = (text: string): string => text.replace(/^.*[/\\]/su, '').replace(/\p{Cf}/gu, '');
