import type { KeySegment } from './key-sequence.js';
import type { Pane } from './pane.js';

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
