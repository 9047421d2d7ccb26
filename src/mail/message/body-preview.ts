import { firstCodePoints } from '../../foundation/code-points.js';
import { countCodePoints, wordsOf } from './python-text.js';

const longest = 240;

/** The beginning of a body on one line, in code points. */
export function bodyPreview(body: string): string {
  const words: string[] = [];
  let length = -1;
  // A body may have millions of words.
  for (const word of wordsOf(body)) {
    words.push(word);
    length += word.length + 1;
    if (length > 2 * longest) break;
  }
  const line = words.join(' ');
  return countCodePoints(line) <= longest ? line : `${firstCodePoints(line, longest - 3)}...`;
}
