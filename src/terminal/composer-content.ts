import type { FrameSignals } from '../tools/screen/frame-signals.js';
import type { Pane } from './pane.js';
import type { DeliveryCheck } from './submission.js';
import type { KeySegment } from './terminal-input.js';

// A composer that is lower than its text scrolls, and shows only a part of it. A part with this many characters in one row, or
// with this many rows, is ours and not a draft of a person.
const longEnough = 200;
const rowsEnough = 2;
const longEnoughInRows = 40;
/** The number of lines up to which a text is cleared line by line: a tool shows a placeholder for a longer one. */
const mostRowsToClear = 300;

/**
 * Decides whose text is in the composer after `pasted` was pasted. Changes that screens and tools make to a text are ignored.
 * @param cleared keys that clear were pressed: any rest of the text is then ours, however short.
 */
export function composerContent(
  signals: FrameSignals,
  pasted: string,
  { cleared }: { cleared: boolean } = { cleared: false },
): DeliveryCheck['composer'] {
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

/**
 * Returns how many rows of `pasted` may be in the composer, visible or scrolled out of sight. All of them have to be cleared: a
 * row that is left behind would later count as a draft of someone else.
 */
export function rowsToClear({ promptText }: Pick<FrameSignals, 'promptText'>, pasted: string): number {
  const seen = (promptText ?? '').split('\n').length;
  if (promptText === null || isPlaceholderOf(promptText, pasted)) return seen;
  return Math.max(seen, Math.min(pasted.split(/[\n\u2028]/).length, mostRowsToClear));
}

const rowsOf = (text: string): number =>
  text.split(/[\n\u2028]/).filter((row) => shownText(row) !== '').length;

/**
 * Returns the part of a text that a screen certainly keeps, for comparison with the pasted text. Blanks change where rows are
 * wrapped, tools remove invisible characters, tmux keeps only the first marks and joined emoji of a cell, and Codex draws ↑ and ↓
 * at the edge of a composer that scrolls, a blank behind the text or right behind it.
 */
export const shownText = (text: string): string => text.normalize('NFKD').replace(lost, '');

const lost = /[\s↑↓\p{M}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;

/**
 * A placeholder such as `[Pasted text #1]`, `[Pasted text #1 +60 lines]`, `[Pasted Text: 61 lines]` or `[Pasted Content 1731
 * chars]`.
 */
const placeholder = /^\[pasted (?:text|content)\b[^\]]*?(?:(\d+) (lines|chars))?\]$/i;

/** Returns the tolerated difference: each tool counts line ends or lines, and characters, in its own way. */
const slack = (count: number): number => 2 + count * 0.05;

/**
 * Decides whether a draft is the placeholder of exactly this paste: that of an earlier paste may still be there, or appear late.
 */
export function isPlaceholderOf(draft: string, pasted: string): boolean {
  const [whole, said, unit] = placeholder.exec(draft.trim()) ?? [];
  if (whole === undefined) return false;
  const breaks = pasted.split(/[\n\u2028]/).length - 1;
  const count = unit?.toLowerCase() === 'chars' ? pasted.length : breaks;
  return Math.abs(Number(said ?? 0) - count) <= slack(count);
}

/**
 * Takes a text out of the composer. Ctrl-U empties a line before the cursor, and Backspace joins it with the one above; Ctrl-K
 * and Delete do the same behind the cursor, which is at the beginning of a text that a tool put back. On an empty composer all of
 * them do nothing. Ctrl-C would empty it at once, but ends some tools if it is empty already.
 * @param rows the number of rows of the text.
 * @throws {TmuxFault}
 */
export function clearComposer(pane: Pane, rows: number): Promise<void> {
  const line: readonly KeySegment[] = [{ key: 'C-u' }, { key: 'BSpace' }, { key: 'C-k' }, { key: 'DC' }];
  return pane.type(Array.from({ length: rows + 1 }, () => line).flat());
}
