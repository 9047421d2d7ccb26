import type { Clock } from '../../foundation/clock.js';
import type { OneAtATime } from '../../foundation/concurrency.js';
import type { Pane } from '../../terminal/pane.js';
import type { SubmissionTimeouts } from '../../terminal/submission.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import type { KeyPauses } from '../../tools/screen/screen-profile.js';
import type { AgentReport } from './agent-report.js';
import type { TerminalCheck } from './terminal-sight.js';

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

/** The shortest pause between two checks, for a tool that draws all the time. */
const breathMilliseconds = 20;
/** The longest pause: an event without a sign, such as the end of a process, is noticed after this time. */
const longestMilliseconds = 100;

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
