import { readinessReasons } from '../../terminal/tracker/readiness-reasons.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { SaidState } from './said-state.js';

/** Whether a prompt may be typed now. */
export interface PromptReadiness {
  surface: 'ready' | 'not_ready' | 'unknown';
  /** Why not, such as `turn.phase='active'`; none if and only if it may. */
  reasons: readonly string[];
}

/** So long the two witnesses may disagree: one of them is always a little later. */
export const settleMilliseconds = 3000;

/**
 * The one predicate of a terminal (docs/decisions.md#two-witnesses): a prompt goes in only when the screen and the agent's own
 * word both say ready. Where the agent says nothing of itself, the screen alone decides.
 *
 * @param now milliseconds of the clock that `said.since` is from.
 */
export function promptReadiness(
  state: TerminalState,
  said: Pick<SaidState, 'state' | 'waitingFor' | 'since'> | null,
  now: number,
): PromptReadiness {
  const { availability } = state.diagnostics;
  const screen = readinessReasons(state);
  const word = said === null ? [] : wordsOf(said, state);
  const reasons = [...screen, ...word];
  const understood = availability === 'available' || availability === 'tui_down';
  if (!understood) return { surface: 'unknown', reasons };
  if (reasons.length === 0) return { surface: 'ready', reasons };
  const disagree = said !== null && screen.length === 0;
  const since = disagree ? Math.max(said.since, now - state.stability.stableForSeconds * 1000) : now;
  return now - since >= settleMilliseconds
    ? { surface: 'unknown', reasons: ["screen='ready'", ...word] }
    : { surface: 'not_ready', reasons };
}

/** An agent tells that it waits for a person half a second before its dialog is drawn. */
function wordsOf(
  { state, waitingFor }: Pick<SaidState, 'state' | 'waitingFor'>,
  { dialog }: TerminalState,
): string[] {
  if (state === 'idle') return [];
  const what = waitingFor !== null && plainWords.test(waitingFor) ? ` (${waitingFor})` : '';
  const asksPermission = dialog === null && /\bpermission\b/i.test(what);
  return [...(asksPermission ? ["blocked='permission'"] : []), `self_report='${state}'${what}`];
}

/** Such as `permission prompt`. Anything else in their place may be the conversation's, and goes into no reason. */
const plainWords = /^[\w ]{1,40}$/;
