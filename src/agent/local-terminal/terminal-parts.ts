import type { Clock } from '../../foundation/clock.js';
import type { OneAtATime } from '../../foundation/concurrency.js';
import type { Pane } from '../../terminal/pane.js';
import type { Patience } from '../../terminal/submission.js';
import type { KeySegment } from '../../terminal/terminal-input.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import type { KeyPauses } from '../../tools/screen/screen-profile.js';
import type { AgentReport } from './agent-report.js';
import type { Looked } from './terminal-sight.js';

/** What a prompt to a terminal needs. */
export interface TerminalParts {
  watch: TerminalWatch;
  report: AgentReport;
  /** Null for a tool whose files nobody reads. */
  tool: ToolName | null;
  clock: Clock;
  patience: Patience;
  keyPauses: KeyPauses;
  /** Prompts, keys and what clears the composer are typed one after the other, never into each other. */
  typing: OneAtATime;
  /** A folder that only its owner may enter, for the file that tmux reads. */
  folder: string;
}

/** A tool that draws all the time is looked at no more often than this. */
const breathMilliseconds = 20;
/** What makes no sign, such as the end of a process, is noticed so late at most. */
const longestMilliseconds = 100;

export async function lookNow({ watch }: TerminalParts): Promise<Looked> {
  const state = await watch.look();
  return {
    state,
    signals: watch.tracker.signals,
    pane: watch.status,
    paneId: state.probe?.paneId ?? null,
    toolPid: watch.tool?.pid ?? null,
  };
}

/** Resolves when something about the terminal may have changed. @param longest milliseconds, without any sign. */
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

/** A tool that is busy reads late: what was typed before is waited for on its screen, but not for longer. */
const drawnMilliseconds = 500;

/** How long to wait before the next segment. */
interface KeyPause {
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
