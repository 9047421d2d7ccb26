import type { ProcessIdentity } from '../foundation/processes.js';
import type { ReportMark } from '../tools/self-report/self-reporter.js';
import type { RecordError } from './record-error.js';
import type { TurnSigns } from './turn-signs.js';

/** The record on disk before a prompt is pasted into a terminal: after a crash, the next owner recognises the prompt by it. */
export interface PastedPrompt {
  /** The tmux id of the pane. */
  paneId: string;
  /** The pasted text. */
  text: string;
  /** How far the agent's own reports were read before; null if it does not report on itself. */
  heardUntil: ReportMark | null;
}

/** Called while a turn runs. */
export interface TurnObserver {
  /** A process of the turn exists. It is recorded on disk, so that after a crash the next owner can end or follow it. */
  spawned(process: ProcessIdentity): void;
  /** The agent's process or terminal has the prompt. */
  handedOver(evidence: string): void;
  /** The agent has shown that it took the prompt. */
  confirmed(evidence: string): void;
  /**
   * The prompt is about to be pasted into a terminal; resolves when that is on disk.
   * @throws the error that keeps it from disk: then nothing is pasted.
   */
  pasting(paste: PastedPrompt): Promise<void>;
  /** A fault occurred that does not end the turn. */
  report(detail: string): void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** The steps of ending a turn: the signal, and how long to wait before the next (docs/decisions.md#stopping-a-turn). */
export type StopLadder = readonly { signal: StopSignal; waitMs: number }[];

/** The result of an attempt to stop an agent. */
export type StopOutcome =
  /** `signal` is the strongest one that was sent; null if the server that runs the agent was asked instead. */
  | { outcome: 'stopped'; signal: StopSignal | null }
  /** There was nothing to stop. */
  | { outcome: 'no_op' }
  /** The agent may still run. */
  | { outcome: 'failed'; error: RecordError };

/** The ladder of an ordinary interrupt, which gives the agent time to stop by itself. */
export const interruptLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 5000 },
  { signal: 'SIGTERM', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];
/** The shorter ladder of a forced prompt, or of a gateway that stops. */
export const forceLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGTERM', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];

/** A running turn. */
export interface RunningTurn {
  /** Settles when no process of the turn runs any more, or with null if it was left. Never rejects. */
  readonly ended: Promise<TurnSigns | null>;
  /**
   * Ends the turn step by step, and resolves when it has ended. A turn on another server may not end: then the outcome is
   * `failed`, and with `letGo` the turn is given up, so that it no longer holds the slot.
   */
  stop(ladder: StopLadder, letGo: boolean): Promise<StopOutcome>;
  /** Stops following the turn without ending it: another process may adopt it. */
  leave(): void;
}
