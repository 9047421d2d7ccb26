import { clearComposer } from '../../terminal/clear-composer.js';
import { composerContent, rowsToClear } from '../../terminal/composer-content.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { lookNow, nextSign, type TerminalParts } from './terminal-parts.js';

/** What came of a removal: the text is gone, it still stands there, or it was not seen there at all. */
export type Removal = 'removed' | 'stands' | 'absent';

/** For a text to be out of the composer again, and for one that comes late to appear there. */
const enoughMilliseconds = 2000;

/**
 * Takes a text of ours out of the composer, and nothing else: a draft of somebody's is left alone, and while a dialog is up no key
 * is pressed.
 * @param enough ends the wait for a text that is not there.
 */
export function removeStranded(
  parts: TerminalParts,
  text: string,
  enough: () => boolean = () => false,
): Promise<Removal> {
  return parts.typing.run(() => removeWhileTyping(parts, text, enough));
}

/** The same for whoever types at this moment. */
export async function removeWhileTyping(
  parts: TerminalParts,
  text: string,
  enough: () => boolean,
): Promise<Removal> {
  let deadline = parts.clock.monotonic() + enoughMilliseconds;
  let found = false;
  while (parts.clock.monotonic() < deadline && !enough()) {
    const { signals } = await lookNow(parts);
    const content = signals === null ? 'unknown' : composerContent(signals, text, { cleared: found });
    if (found && content === 'empty') return 'removed';
    if (content === 'ours' && signals?.dialog === null) {
      // A screen that was late with the text is as late with its end.
      if (!found) deadline = parts.clock.monotonic() + enoughMilliseconds;
      found = true;
      const rows = rowsToClear(signals, text);
      try {
        const pane = await parts.watch.pane();
        await pane.leaveMode();
        await clearComposer(pane, rows);
      } catch (error) {
        // The next look shows what is left.
        if (!(error instanceof TmuxFault)) throw error;
      }
    }
    await nextSign(parts);
  }
  return found ? 'stands' : 'absent';
}
