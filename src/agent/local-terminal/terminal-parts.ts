import type { Clock } from '../../foundation/clock.js';
import type { OneAtATime } from '../../foundation/one-at-a-time.js';
import type { Patience } from '../../terminal/submission.js';
import type { TerminalWatch } from '../../terminal/terminal-watch.js';
import type { ToolName } from '../../tools/adapter/tool-name.js';
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
