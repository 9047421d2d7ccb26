import type { FrameSignals } from '../tools/screen/frame-signals.js';
import type { Sight } from './submission.js';

/** What the tools draw in place of a long paste, such as `[Pasted text #1 +60 lines]` or `[Pasted Content 1731 chars]`. */
const placeholder = /^\[pasted (?:text|content)\b[^\]]*\]$/i;

/** A composer shows no more than so many characters of a longer text. */
const longEnough = 200;

/** Whose text stands in the composer after `pasted` was pasted: blanks and line ends count for nothing, tools change them. */
export function composerContent(signals: FrameSignals, pasted: string): Sight['composer'] {
  if (signals.dialog !== null) return 'unknown';
  if (signals.editingInput === 'no') return 'empty';
  if (signals.editingInput !== 'yes' || signals.promptText === null) return 'unknown';
  const shown = squeezed(signals.promptText);
  const wanted = squeezed(pasted);
  const isPart = shown.length >= longEnough && wanted.includes(shown);
  const isOurs = shown === wanted || isPart || placeholder.test(signals.promptText.trim());
  return isOurs ? 'ours' : 'foreign';
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');
