import type { FrameSignals } from '../tools/screen/frame-signals.js';
import type { Pane } from './pane.js';
import type { Sight } from './submission.js';
import type { KeySegment } from './terminal-input.js';

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

/**
 * What a screen surely keeps of a text, to compare it with what was pasted. Blanks change where rows are wrapped, tools take
 * characters out that nobody sees, tmux keeps only the first marks and joined emoji of a cell, and Codex draws ↑ and ↓ at the edge of a
 * composer that scrolls, a blank behind the text or right behind it.
 */
export const shownText = (text: string): string => text.normalize('NFKD').replace(lost, '');

const lost = /[\s↑↓\p{M}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;

/** Such as `[Pasted text #1]`, `[Pasted text #1 +60 lines]`, `[Pasted Text: 61 lines]` or `[Pasted Content 1731 chars]`. */
const placeholder = /^\[pasted (?:text|content)\b[^\]]*?(?:(\d+) (lines|chars))?\]$/i;

/** The tools count line ends or lines, and characters in ways of their own. */
const slack = (count: number): number => 2 + count * 0.05;

/** Whether a draft is what a tool draws in place of this very paste: an earlier one may still stand there, or come late. */
export function isPlaceholderOf(draft: string, pasted: string): boolean {
  const [whole, said, unit] = placeholder.exec(draft.trim()) ?? [];
  if (whole === undefined) return false;
  const breaks = pasted.split(/[\n\u2028]/).length - 1;
  const count = unit?.toLowerCase() === 'chars' ? pasted.length : breaks;
  return Math.abs(Number(said ?? 0) - count) <= slack(count);
}

/**
 * Takes a text out of the composer. Ctrl-U empties a line before the cursor, and Backspace joins it with the one above; Ctrl-K and
 * Delete do the same behind the cursor, which stands at the beginning of a text that a tool put back. On an empty composer all of
 * them do nothing. Ctrl-C would empty it at once, and ends some tools when it is empty already.
 * @param rows how many the text has.
 * @throws {TmuxFault}
 */
export function clearComposer(pane: Pane, rows: number): Promise<void> {
  const line: readonly KeySegment[] = [{ key: 'C-u' }, { key: 'BSpace' }, { key: 'C-k' }, { key: 'DC' }];
  return pane.type(Array.from({ length: rows + 1 }, () => line).flat());
}
