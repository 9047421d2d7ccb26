import type { Clock } from '../../foundation/clock.js';
import type { OneAtATime } from '../../foundation/concurrency.js';
import type { Pane, PaneStatus } from '../../terminal/pane.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import { screenFactsOf } from '../../terminal/tracker/sight.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { KeyPauses } from '../../tools/screen/screen-profile.js';
import type { AgentReport } from './agent-report.js';
import { composerContent, shownText } from './prompt-readiness.js';
import type { DeliveryCheck, SubmissionTimeouts, TypedPrompt } from './submission.js';

/** The parts that are needed to type a prompt into a terminal. */
export interface TerminalParts {
  watch: TerminalWatch;
  report: AgentReport;
  /** Null for a tool whose files are not read. */
  tool: ToolName | null;
  clock: Clock;
  patience: SubmissionTimeouts;
  keyPauses: KeyPauses;
  /** Prompts, keys and the keys that clear the composer are typed one after the other, never into each other. */
  typing: OneAtATime;
  /** A folder that only its owner may enter, for the file that tmux reads. */
  folder: string;
}

/** The result of one check of a terminal. */
export interface TerminalCheck {
  state: TerminalState;
  signals: FrameSignals | null;
  /** Null if tmux did not answer. */
  pane: PaneStatus | null;
  paneId: string | null;
  /** The tool's process; null if none runs. */
  toolPid: number | null;
}

export async function checkTerminal({ watch }: TerminalParts): Promise<TerminalCheck> {
  const state = await watch.observe();
  return {
    state,
    signals: watch.tracker.signals,
    pane: watch.status,
    paneId: state.probe?.paneId ?? null,
    toolPid: watch.tool?.pid ?? null,
  };
}

/** Decides whether the agent is at work, or waits for a person, by its screen or by its own report. */
export function isAtWork(
  { report }: Pick<TerminalParts, 'report'>,
  { signals }: Pick<TerminalCheck, 'signals'>,
): boolean {
  const seen = signals !== null && (screenFactsOf(signals).active || signals.dialog !== null);
  return seen || (report.reportedState !== null && report.reportedState.state !== 'idle');
}

/** The shortest pause between two checks, for a tool that draws all the time. */
const breathMilliseconds = 20;
/** The longest pause: an event without a sign, such as the end of a process, is noticed after this time. */
const longestMilliseconds = 100;

/** Resolves after a possible change of the terminal. @param longest the time limit without any sign, in milliseconds. */
export async function nextSign(
  { watch, clock }: TerminalParts,
  longest: number = longestMilliseconds,
): Promise<void> {
  const stirred = new AbortController();
  const signs = watch.stirred().then(() => stirred.abort());
  await clock.sleep(breathMilliseconds);
  await Promise.race([signs, clock.sleep(longest, stirred.signal)]);
  stirred.abort();
}

/** How long to wait for typed text to appear on the screen: a busy tool reads it late. */
const drawnMilliseconds = 500;

/** The pause before the next segment. */
interface KeyPause {
  milliseconds: number;
  /** The pause begins when the tool has drawn something. */
  drawn: boolean;
}

/** Pure. @returns null if the next segment may follow at once. */
export function pauseBetween(former: KeySegment, next: KeySegment, pauses: KeyPauses): KeyPause | null {
  if ('text' in former) return 'text' in next ? null : { milliseconds: pauses.text, drawn: true };
  if (former.key === 'Escape') return { milliseconds: pauses.escape, drawn: false };
  return 'text' in next ? { milliseconds: pauses.text, drawn: false } : null;
}

/**
 * Types the segments one after the other at the pace of a person, so that no tool takes a key for a part of a paste, or of
 * another key.
 * @throws {TmuxFault} segments that were typed before stay typed.
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

/** A prompt that is being delivered to a terminal. */
export interface OnItsWay {
  /** The pasted text. */
  text: string;
  paneId: string;
  /** The process it is meant for; null if another gateway began the delivery. */
  toolPid: number | null;
  /** How often its opening was in the transcript before. */
  echoesBefore: number;
}

/** Converts a check into the input of `decide`. */
export function deliveryCheck(
  checked: TerminalCheck,
  prompt: OnItsWay & Partial<Pick<TypedPrompt, 'cleared'>>,
  at: number,
  { taken, refused }: Pick<DeliveryCheck, 'taken' | 'refused'>,
): DeliveryCheck {
  const { signals } = checked;
  return {
    at,
    lost: lostBecause(checked, prompt),
    scrolled: checked.pane?.inMode ?? false,
    dialog: signals?.dialog?.kind ?? null,
    composer: signals
      ? composerContent(signals, prompt.text, { cleared: prompt.cleared ?? false })
      : 'unknown',
    working: signals !== null && screenFactsOf(signals).active,
    echoed: echoesOf(prompt.text, checked.state) > prompt.echoesBefore,
    taken,
    refused,
  };
}

/**
 * Returns why the tool cannot be reached any more, or another one is there; null while it can be, or if that is unknown.
 * @param before the pane and the process that were there; null for one that does not count.
 */
export function lostBecause(
  { state, pane, paneId, toolPid }: Omit<TerminalCheck, 'signals'>,
  before: { paneId: string | null; toolPid: number | null },
): string | null {
  const { transport, availability } = state.diagnostics;
  if (transport === 'tmux_missing') return 'the tmux session went away';
  if (pane?.dead) return 'the pane is dead';
  if (availability === 'tui_down') return 'the tool ended';
  if (isAnother(before.paneId, paneId)) return 'its pane is gone';
  return isAnother(before.toolPid, toolPid) ? 'the tool was restarted' : null;
}

const isAnother = <T>(before: T | null, now: T | null): boolean =>
  before !== null && now !== null && before !== now;

/** The length of the opening of a text, which is enough: a long prompt is cut, folded and wrapped on the screen. */
const openingCharacters = 48;

/**
 * Counts how often a text is in the transcript, by its opening: rows that begin with it, behind the sign of the tool or the frame
 * of its box. In the middle of a row it may be part of a message about it, such as `Unrecognized command '/help'`.
 */
export function echoesOf(text: string, { parsed }: TerminalState): number {
  const opening = shownText(text).slice(0, openingCharacters);
  if (parsed === null || opening === '') return 0;
  const rows = parsed.text.conversation.split('\n');
  return rows.filter((row, index) =>
    [row, row.replace(promptSign, '')].some((begun) => beginsWith(opening, begun, rows.slice(index + 1))),
  ).length;
}

const promptSign = /^[\s│┃▌]*[›❯>]?/;

/** Compares without blanks, across rows: rows wrap anywhere. */
function beginsWith(opening: string, begun: string, rest: readonly string[]): boolean {
  let shown = shownText(begun);
  for (const row of rest) {
    if (shown === '' || shown.length >= opening.length || !opening.startsWith(shown)) break;
    shown += shownText(row);
  }
  return shown.startsWith(opening);
}
