import type { FrameSignals } from '../tools/screen/frame-signals.js';
import { isPlaceholderOf } from './paste-placeholder.js';
import { shownText } from './shown-text.js';
import type { Sight } from './submission.js';

// A composer that is lower than its text scrolls, and shows a part of it: so many characters in one row, or so many of its rows, are no
// draft of somebody else's.
const longEnough = 200;
const rowsEnough = 2;
const longEnoughInRows = 40;
/** Texts of more lines are not drawn, but told of by a placeholder. */
const mostRowsToClear = 300;

/**
 * Whose text stands in the composer after `pasted` was pasted. What screens and tools change of a text counts for nothing.
 * @param cleared keys that clear were pressed: what is left of it is ours, however little that is.
 */
export function composerContent(
  signals: FrameSignals,
  pasted: string,
  { cleared }: { cleared: boolean } = { cleared: false },
): Sight['composer'] {
  if (signals.dialog !== null) return 'unknown';
  if (signals.editingInput === 'no') return 'empty';
  if (signals.editingInput !== 'yes' || signals.promptText === null) return 'unknown';
  if (isPlaceholderOf(signals.promptText, pasted)) return 'ours';
  const shown = shownText(signals.promptText);
  const wanted = shownText(pasted);
  const isPart = shown !== '' && wanted.includes(shown);
  return shown === wanted || (isPart && (cleared || isLarge(signals.promptText, pasted)))
    ? 'ours'
    : 'foreign';
}

function isLarge(draft: string, pasted: string): boolean {
  const { length } = shownText(draft);
  const rows = rowsOf(draft);
  return (
    length >= longEnough || (rows >= rowsEnough && (rows < rowsOf(pasted) || length >= longEnoughInRows))
  );
}

/** How many rows of `pasted` may stand in the composer, seen or scrolled out of sight: one that is left would be nobody's. */
export function rowsToClear({ promptText }: Pick<FrameSignals, 'promptText'>, pasted: string): number {
  const seen = (promptText ?? '').split('\n').length;
  if (promptText === null || isPlaceholderOf(promptText, pasted)) return seen;
  return Math.max(seen, Math.min(pasted.split(/[\n\u2028]/).length, mostRowsToClear));
}

const rowsOf = (text: string): number =>
  text.split(/[\n\u2028]/).filter((row) => shownText(row) !== '').length;
