import type { Pane } from '../../terminal/pane.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import { readinessReasons, type TerminalState, unstable } from '../../terminal/tracker/terminal-state.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { ReportedState } from './agent-report.js';
import type { DeliveryCheck } from './submission.js';

// Whether a prompt may be typed into a terminal now, whose text is in its composer, and how that is cleared.

/** Whether a prompt may be typed now. */
interface PromptReadiness {
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

/** The screen, as one check of the terminal showed it. */
interface SeenScreen {
  state: TerminalState;
  signals: FrameSignals | null;
}

/** Returns why a prompt cannot be typed now; null if it can. A forced one needs only an empty composer. */
export function typingObstacle(
  { forced, text }: { forced: boolean; text: string },
  { state, signals }: SeenScreen,
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
  { state, signals }: SeenScreen,
  said: Pick<ReportedState, 'state'> | null,
): string | null {
  const { availability } = state.diagnostics;
  if (availability !== 'available') return `the terminal cannot be typed into: ${outOfReach[availability]}`;
  if (signals?.dialog || said?.state === 'waiting') return 'the agent waits for a person to answer a dialog';
  if (!signals || composerContent(signals, text) !== 'empty')
    return 'the composer is not empty, or is not on the screen';
  return null;
}

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
