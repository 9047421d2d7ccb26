import type { ProcessIdentity } from '../foundation/processes.js';
import type { ReportMark } from '../tools/self-report/self-reporter.js';
import type { RecordError } from './record-error.js';
import type { TurnSigns } from './turn-signs.js';

/** What is on disk before a prompt is pasted into a terminal: whoever comes after a crash recognises it there. */
export interface PastedPrompt {
  /** The tmux id of the pane. */
  paneId: string;
  /** The text as it is pasted. */
  text: string;
  /** How far the agent's own word was read before; null where it says nothing of itself. */
  heardUntil: ReportMark | null;
}

/** Called while a turn runs. */
export interface TurnObserver {
  /** A process of the turn exists. It is kept on disk, so that after a crash the next owner can end or follow it. */
  spawned(process: ProcessIdentity): void;
  /** The agent's process or terminal has the prompt. */
  handedOver(evidence: string): void;
  /** The agent showed that it took the prompt. */
  confirmed(evidence: string): void;
  /**
   * The prompt is about to be pasted into a terminal; resolves when that is on disk.
   * @throws what keeps it from disk: then nothing is pasted.
   */
  pasting(paste: PastedPrompt): Promise<void>;
  /** Something went wrong that does not end the turn. */
  report(detail: string): void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** Steps of ending a turn: the signal, and how long to wait before the next (docs/decisions.md#stopping-a-turn). */
export type StopLadder = readonly { signal: StopSignal; waitMs: number }[];

/** What came of the attempt to stop an agent. */
export type StopOutcome =
  /** `signal` is the strongest one that it took; null when the server that runs the agent was asked instead. */
  | { outcome: 'stopped'; signal: StopSignal | null }
  /** There was nothing to stop. */
  | { outcome: 'no_op' }
  /** It may still run. */
  | { outcome: 'failed'; error: RecordError };

/** An ordinary interrupt gives the agent time to stop by itself. */
export const interruptLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 5000 },
  { signal: 'SIGTERM', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];
/** A forced prompt, or a gateway that stops, waits less. */
export const forceLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGTERM', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];

/** A turn that runs. */
export interface RunningTurn {
  /** Settles when nothing of the turn runs any more, or with null when it was left. Never rejects. */
  readonly ended: Promise<TurnSigns | null>;
  /**
   * Ends the turn step by step, and resolves when it has ended. A turn on another server may not end: then the outcome
   * is `failed`, and with `letGo` the turn is given up, so that it no longer holds the slot.
   */
  stop(ladder: StopLadder, letGo: boolean): Promise<StopOutcome>;
  /** Follows it no longer and ends nothing: another process may adopt it. */
  leave(): void;
}
