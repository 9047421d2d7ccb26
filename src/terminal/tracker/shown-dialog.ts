import { createHash } from 'node:crypto';
import type { Dialog } from '../../tools/screen/dialog.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';

// Whether a question stands on the screen:
//
//   none ──seen──▶ shown ──another one seen, nothing seen, renewed──▶ shown under another id, or none
//
// A question that was not seen for one look, or that was answered by us, is another one when it is seen again, though it
// has the same words: what was decided about the first is no answer to the second. A look at a screen that is half drawn sees
// neither the question nor anything in its place: for some time it changes nothing.

/** A question to a person, from the first look that saw it to the last. */
export interface ShownDialog extends Dialog {
  /** `dialog-` and twelve hexadecimal digits; no other question of this terminal has or had it. */
  id: string;
  since: Date;
  /** The last look that saw it. */
  seen: Date;
}

/** A look at the screen: the question that stands there, none, or a screen of which nothing is recognised. */
export type DialogSight = Dialog | null | 'half_drawn';

/** So long a question may stand on a screen that is half drawn. */
const drawingMilliseconds = 2000;

/** Pure: what a look saw of a question. @param signals null where no screen was read. */
export function dialogSight(
  signals: Pick<FrameSignals, 'dialog' | 'promptVisible' | 'activeReasons'> | null,
): DialogSight {
  if (signals === null || signals.dialog !== null) return signals?.dialog ?? null;
  return signals.promptVisible || signals.activeReasons.length > 0 ? null : 'half_drawn';
}

/** An answer of ours, noted before the key that gives it. */
export interface NotedAnswer {
  dialogId: string;
  by: 'choose' | 'keys';
}

/** Pure: the question after a look. */
export function afterSight(shown: ShownDialog | null, sight: DialogSight, at: Date): ShownDialog | null {
  if (sight === null) return null;
  if (sight === 'half_drawn')
    return shown !== null && at.getTime() - shown.seen.getTime() < drawingMilliseconds ? shown : null;
  if (shown?.question === sight.question) return { ...sight, id: shown.id, since: shown.since, seen: at };
  return { ...sight, id: idOf(sight, at), since: at, seen: at };
}

/** Pure: the same question under another id, since it was answered and stands there still, or again. */
export const renewed = (shown: ShownDialog, at: Date): ShownDialog => ({
  ...shown,
  id: idOf({ ...shown, question: `${shown.id}\n${shown.question}` }, at),
  since: at,
});

function idOf({ question }: Pick<Dialog, 'question'>, at: Date): string {
  const digest = createHash('sha256').update(`${at.toISOString()}\n${question}`).digest('hex');
  return `dialog-${digest.slice(0, 12)}`;
}
