import { firstCodePoints } from '../../foundation/code-points.js';
import { countCodePoints, splitWords } from './python-text.js';

const longest = 240;

/** The beginning of a body on one line, in code points. */
export function bodyPreview(body: string): string {
  const line = splitWords(body).join(' ');
  return countCodePoints(line) <= longest ? line : `${firstCodePoints(line, longest - 3)}...`;
}
