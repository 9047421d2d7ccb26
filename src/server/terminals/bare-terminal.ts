import type { Clock } from '../../foundation/clock.js';
import type { TerminalSource } from '../../terminal/terminal-source.js';
import { TerminalWatch } from '../../terminal/terminal-watch.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../terminal/tracker/terminal-tracker.js';
import type { TrackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { toStyledRows } from '../../tools/screen/styled-rows.js';
import { screensOf, toolProcessNames } from '../../tools/screen-registry.js';

/** Rows at the end of what is captured that a detector may look at. */
const rowsRead = 300;

export interface BareTerminalParts {
  tool: string;
  tmuxSession: string;
  source: TerminalSource;
  timings: TrackerTimings;
  mostSnapshots: number;
  clock: Clock;
  report: (fault: string) => void;
}

/** A terminal of which only name and tool are known: it is looked at, and nothing is typed into it. */
export class BareTerminal {
  readonly #watch: TerminalWatch;

  constructor({ tool, tmuxSession, source, timings, mostSnapshots, clock, report }: BareTerminalParts) {
    this.#watch = new TerminalWatch({
      session: tmuxSession,
      recorded: () => null,
      source,
      tracker: new TerminalTracker({
        ...{ tool, screens: screensOf(tool), version: null, timings, clock, mostSnapshots },
        rowsOf: (text) => toStyledRows(text, rowsRead),
      }),
      toolNames: toolProcessNames(tool, tool),
      ...{ clock, report, saw: () => undefined, heard: () => undefined, changed: () => undefined },
    });
  }

  get toolVersion(): null {
    return null;
  }
  get watched(): boolean {
    return this.#watch.watching;
  }
  get state(): TerminalState {
    return this.#watch.tracker.state;
  }
  look(): Promise<TerminalState> {
    return this.#watch.look();
  }
  seenWithin(milliseconds: number): Promise<TerminalState> {
    return this.#watch.seenWithin(milliseconds);
  }
  start(): void {
    this.#watch.start();
  }
  rest(): Promise<void> {
    return this.#watch.rest();
  }
  stop(): Promise<void> {
    return this.#watch.stop();
  }
}
