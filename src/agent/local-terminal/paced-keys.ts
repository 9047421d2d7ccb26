import type { KeySegment } from '../../terminal/key-sequence.js';
import type { Pane } from '../../terminal/pane.js';
import type { KeyPauses } from '../../tools/screen/screen-profile.js';
import { nextSign, type TerminalParts } from './terminal-parts.js';

/** A tool that is busy reads late: what was typed before is waited for on its screen, but not for longer. */
const drawnMilliseconds = 500;

/** How long to wait before the next segment. */
export interface KeyPause {
  milliseconds: number;
  /** Begins when the tool has drawn something. */
  drawn: boolean;
}

/** Pure. @returns null where the next segment may follow at once. */
export function pauseBetween(former: KeySegment, next: KeySegment, pauses: KeyPauses): KeyPause | null {
  if ('text' in former) return 'text' in next ? null : { milliseconds: pauses.text, drawn: true };
  if (former.key === 'Escape') return { milliseconds: pauses.escape, drawn: false };
  return 'text' in next ? { milliseconds: pauses.text, drawn: false } : null;
}

/**
 * Types segment after segment as a person would, so that no tool takes a key for a part of a paste, or of another key.
 * @throws {TmuxFault} what was typed before stays typed.
 */
export async function typePaced(
  parts: TerminalParts,
  pane: Pane,
  segments: readonly KeySegment[],
): Promise<void> {
  let former: KeySegment | null = null;
  for (const segment of segments) {
    const pause: KeyPause | null = former && pauseBetween(former, segment, parts.keyPauses);
    if (pause?.drawn) await nextSign(parts, drawnMilliseconds);
    if (pause) await parts.clock.sleep(pause.milliseconds);
    await pane.type([segment]);
    former = segment;
  }
}
