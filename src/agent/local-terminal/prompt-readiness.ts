import { composerContent } from '../../terminal/composer-content.js';
import { readinessReasons, type TerminalState, unstable } from '../../terminal/tracker/terminal-state.js';
import type { ReportedState } from './agent-report.js';
import type { TerminalCheck } from './terminal-check.js';

/** Whether a prompt may be typed now. */
export interface PromptReadiness {
  surface: 'ready' | 'not_ready' | 'unknown';
  /** Why not, such as `turn.phase='active'`; none if and only if a prompt may be typed. */
  reasons: readonly string[];
}

/** How long the two witnesses may disagree: one of them is always a little later. */
export const settleMilliseconds = 3000;

/**
 * Decides whether a terminal is ready (docs/decisions.md#two-witnesses): a prompt is typed only if both the screen and the
 * agent's own report say so. If the agent does not report on itself, the screen alone decides.
 *
 * @param now milliseconds of the clock that `said.since` is from.
 */
export function promptReadiness(
  state: TerminalState,
  said: Pick<ReportedState, 'state' | 'waitingFor' | 'since'> | null,
  now: number,
): PromptReadiness {
  const { availability } = state.diagnostics;
  const screen = readinessReasons(state);
  const reported = said === null ? [] : reportReasons(said, state);
  const reasons = [...screen, ...reported];
  const understood = availability === 'available' || availability === 'tui_down';
  if (!understood) return { surface: 'unknown', reasons };
  if (reasons.length === 0) return { surface: 'ready', reasons };
  const disagree = said !== null && screen.length === 0;
  const since = disagree ? Math.max(said.since, now - state.stability.stableForSeconds * 1000) : now;
  return now - since >= settleMilliseconds
    ? { surface: 'unknown', reasons: ["screen='ready'", ...reported] }
    : { surface: 'not_ready', reasons };
}

/**
 * Returns the reasons in the agent's own report. An agent reports that it waits for a person half a second before its dialog is
 * drawn.
 */
function reportReasons(
  { state, waitingFor }: Pick<ReportedState, 'state' | 'waitingFor'>,
  { dialog }: TerminalState,
): string[] {
  if (state === 'idle') return [];
  const what = waitingFor !== null && plainWords.test(waitingFor) ? ` (${waitingFor})` : '';
  const asksPermission = dialog === null && /\bpermission\b/i.test(what);
  return [...(asksPermission ? ["blocked='permission'"] : []), `self_report='${state}'${what}`];
}

/** Words such as `permission prompt`. Any other text may come from the conversation, and is not put into a reason. */
const plainWords = /^[\w ]{1,40}$/;

type Availability = TerminalState['diagnostics']['availability'];

const outOfReach: Readonly<Record<Exclude<Availability, 'available'>, string>> = {
  unavailable: 'its tmux session is gone',
  tui_down: 'the tool has ended, start it again there',
  error: 'it cannot be read',
  unknown: 'its screen was not recognised',
};

/** The reason why a prompt cannot be typed now. */
export interface TypingObstacle {
  /** A clause that ends a sentence. */
  detail: string;
  /** The only reason is that the screen still changes: it has to come to rest. */
  redraws: boolean;
}

/** Returns why a prompt cannot be typed now; null if it can. A forced one needs only an empty composer. */
export function typingObstacle(
  { forced, text }: { forced: boolean; text: string },
  { state, signals }: Pick<TerminalCheck, 'state' | 'signals'>,
  said: Pick<ReportedState, 'state' | 'waitingFor' | 'since'> | null,
  now: number,
): TypingObstacle | null {
  if (forced) {
    const detail = forcedObstacle(text, { state, signals }, said);
    return detail === null ? null : { detail, redraws: false };
  }
  const { reasons } = promptReadiness(state, said, now);
  if (reasons.length === 0) return null;
  const redraws = reasons.every((reason) => reason === unstable);
  return { detail: `the TUI is not submit-ready (${reasons.join(', ')})`, redraws };
}

function forcedObstacle(
  text: string,
  { state, signals }: Pick<TerminalCheck, 'state' | 'signals'>,
  said: Pick<ReportedState, 'state'> | null,
): string | null {
  const { availability } = state.diagnostics;
  if (availability !== 'available') return `the terminal cannot be typed into: ${outOfReach[availability]}`;
  if (signals?.dialog || said?.state === 'waiting') return 'the agent waits for a person to answer a dialog';
  if (!signals || composerContent(signals, text) !== 'empty')
    return 'the composer is not empty, or is not on the screen';
  return null;
}
