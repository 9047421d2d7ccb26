import { createHash } from 'node:crypto';
import type { Dialog } from '../../tools/screen/dialog.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';

// The question on the screen:
//
//   none ──seen──▶ shown ──another one seen, nothing seen, renewed──▶ shown under another id, or none
//
// A question that was missing in one observation, or that was answered by us, counts as another one when it is seen again, even
// with the same words: a decision about the first is not an answer to the second. A half drawn screen shows neither the question
// nor anything in its place: for a short time it changes nothing.

/** A question to a person, from the first observation that saw it to the last. */
export interface ShownDialog extends Dialog {
  /** `dialog-` and twelve hexadecimal digits; unique among the questions of this terminal. */
  id: string;
  since: Date;
  /** The time of the last observation that saw it. */
  seen: Date;
}

/**
 * The question that one observation of the screen saw; null for none, `half_drawn` for a screen on which nothing is recognised.
 */
export type DialogSight = Dialog | null | 'half_drawn';

/** How long a question may remain during half drawn screens. */
const drawingMilliseconds = 2000;

/** Pure: returns the question that an observation saw. @param signals null if no screen was read. */
export function dialogSight(
  signals: Pick<FrameSignals, 'dialog' | 'promptVisible' | 'activeReasons'> | null,
): DialogSight {
  if (signals === null || signals.dialog !== null) return signals?.dialog ?? null;
  return signals.promptVisible || signals.activeReasons.length > 0 ? null : 'half_drawn';
}

/** An answer of ours, noted before its key is pressed. */
export interface NotedAnswer {
  dialogId: string;
  by: 'choose' | 'keys';
}

/** Pure: returns the question after an observation. */
export function afterSight(shown: ShownDialog | null, sight: DialogSight, at: Date): ShownDialog | null {
  if (sight === null) return null;
  if (sight === 'half_drawn')
    return shown !== null && at.getTime() - shown.seen.getTime() < drawingMilliseconds ? shown : null;
  if (shown?.question === sight.question) return { ...sight, id: shown.id, since: shown.since, seen: at };
  return { ...sight, id: idOf(sight, at), since: at, seen: at };
}

/** Pure: returns the same question under another id, because it was answered and is still there, or there again. */
export const renewed = (shown: ShownDialog, at: Date): ShownDialog => ({
  ...shown,
  id: idOf({ ...shown, question: `${shown.id}\n${shown.question}` }, at),
  since: at,
});

function idOf({ question }: Pick<Dialog, 'question'>, at: Date): string {
  const digest = createHash('sha256').update(`${at.toISOString()}\n${question}`).digest('hex');
  return `dialog-${digest.slice(0, 12)}`;
}
