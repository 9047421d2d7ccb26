import type { FrameSignals } from '../tools/screen/frame-signals.js';
import { isPlaceholderOf } from './paste-placeholder.js';
import { shownText } from './shown-text.js';
import type { Sight } from './submission.js';

/** A composer shows no more than so many characters of a longer text. */
const longEnough = 200;

/** Whose text stands in the composer after `pasted` was pasted. What screens and tools change of a text counts for nothing. */
export function composerContent(signals: FrameSignals, pasted: string): Sight['composer'] {
  if (signals.dialog !== null) return 'unknown';
  if (signals.editingInput === 'no') return 'empty';
  if (signals.editingInput !== 'yes' || signals.promptText === null) return 'unknown';
  if (isPlaceholderOf(signals.promptText, pasted)) return 'ours';
  const shown = shownText(signals.promptText);
  const wanted = shownText(pasted);
  const isPart = shown.length >= longEnough && wanted.includes(shown);
  return shown === wanted || isPart ? 'ours' : 'foreign';
}
