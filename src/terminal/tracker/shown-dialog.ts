import { createHash } from 'node:crypto';
import type { Dialog } from '../../tools/screen/dialog.js';

// Whether a question stands on the screen:
//
//   none ──seen──▶ shown ──another one seen, nothing seen, renewed──▶ shown under another id, or none
//
// A question that was not seen for one look, or that was answered by us, is another one when it is seen again, though it
// has the same words: what was decided about the first is no answer to the second.

/** A question to a person, from the first look that saw it to the last. */
export interface ShownDialog extends Dialog {
  /** `dialog-` and twelve hexadecimal digits; no other question of this terminal has or had it. */
  id: string;
  since: Date;
}

/** An answer of ours, noted before the key that gives it. */
export interface NotedAnswer {
  dialogId: string;
  by: 'choose' | 'keys';
}

/** Pure: the question after a look. @param seen null where the look saw none, or no screen. */
export function afterSight(shown: ShownDialog | null, seen: Dialog | null, at: Date): ShownDialog | null {
  if (seen === null) return null;
  if (shown?.question === seen.question) return { ...seen, id: shown.id, since: shown.since };
  return { ...seen, id: idOf(seen, at), since: at };
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
