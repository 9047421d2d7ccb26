import type { FrameSignals } from '../tools/screen/frame-signals.js';
import { isPlaceholderOf } from './paste-placeholder.js';
import { shownText } from './shown-text.js';
import type { Sight } from './submission.js';

// A composer that is lower than its text scrolls, and shows a part of it: so many characters, or so many of its rows, are no
// draft of somebody else's.
const longEnough = 200;
const rowsEnough = 2;

/** Whose text stands in the composer after `pasted` was pasted. What screens and tools change of a text counts for nothing. */
export function composerContent(signals: FrameSignals, pasted: string): Sight['composer'] {
  if (signals.dialog !== null) return 'unknown';
  if (signals.editingInput === 'no') return 'empty';
  if (signals.editingInput !== 'yes' || signals.promptText === null) return 'unknown';
  if (isPlaceholderOf(signals.promptText, pasted)) return 'ours';
  const shown = shownText(signals.promptText);
  const wanted = shownText(pasted);
  const rows = rowsOf(signals.promptText);
  const isTall = rows >= rowsEnough && rows < rowsOf(pasted);
  const isPart = (isTall || shown.length >= longEnough) && wanted.includes(shown);
  return shown === wanted || isPart ? 'ours' : 'foreign';
}

const rowsOf = (text: string): number =>
  text.split(/[\n\u2028]/).filter((row) => shownText(row) !== '').length;
