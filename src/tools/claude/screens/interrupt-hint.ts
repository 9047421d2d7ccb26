import type { StyledRow } from '../../screen/styled-rows.js';
import type { LatestTurn } from './latest-turn.js';
import { lastVisible } from './row-shapes.js';

/** The footer of a Claude Code at work; a narrow pane cuts it off. */
const interruptHint = /\besc to(?: i[a-z]*…?| ?…|$)/;

/** @param below the rows below the composer, or all of them where there is none. */
export const interruptHintIn = (below: readonly StyledRow[]): boolean =>
  lastVisible(below).some((row) => interruptHint.test(row.text));

/** Why Claude Code is seen at work. */
export function workReasons(turn: LatestTurn, hintVisible: boolean): string[] {
  const line = turn.work === null ? [] : [turn.work.reason];
  const block = hintVisible && turn.unfinishedAnswer ? ['active_block'] : [];
  const reasons = [...line, ...block];
  return hintVisible && reasons.length === 0 ? ['interruptable_footer'] : reasons;
}
