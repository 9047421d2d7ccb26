import type { ProcessIdentity } from '../foundation/processes.js';
import type { ReportMark } from '../tools/self-report/self-reporter.js';
import type { RecordError } from './record-error.js';

// A running turn: the facts that are known at its end, what it tells its observer meanwhile, and how it is stopped.

/** The usage of a turn, as the agent reports it (docs/decisions.md#usage). */
export interface TurnUsage {
  /** The model that answered, as the agent names it. */
  model: string | null;
  /** The period that the amounts cover. */
  scope: 'turn' | 'conversation';
  /** By name, as in `tools/adapter/row-facts.ts`. */
  amounts: Record<string, number>;
}

/** Keeps the numbers of a usage report. @returns null if there are none. */
export function turnUsageOf(
  model: string | null,
  usage: Readonly<Record<string, unknown>> | null,
  scope: TurnUsage['scope'],
): TurnUsage | null {
  const isAmount = (entry: [string, unknown]): entry is [string, number] =>
    typeof entry[1] === 'number' && Number.isFinite(entry[1]);
  const amounts = Object.fromEntries(Object.entries(usage ?? {}).filter(isAmount));
  return model === null && Object.keys(amounts).length === 0 ? null : { model, scope, amounts };
}

/** The answer of the agent, as far as it is kept. */
export interface AgentAnswer {
  text: string;
  truncated: boolean;
}

/** The longest answer that is kept, in UTF-16 units. */
const maxLength = 1024 * 1024;

export const answerOf = (text: string): AgentAnswer => ({
  text: text.slice(0, maxLength),
  truncated: text.length > maxLength,
});

export type TurnOutcome = 'completed' | 'failed' | 'interrupted' | 'replaced';

/** The known facts at the end of a turn; `judge` in turn-end.ts decides on it. */
export interface TurnSigns {
  /** Why the agent could not be started, or the turn could not be followed to its end; null otherwise. */
  startFault: RecordError | null;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The time at which its process ended; null if that is unknown. A follower may see the end hours later. */
  endedAt: Date | null;
  /** The last `completion` event. */
  completion: { successful: boolean; message: string } | null;
  lastError: string | null;
  /** Redacted. */
  stderrTail: string;
  sessionLost: boolean;
  /** The supervisor of the turn vanished, so its exit is unknown. */
  supervisorLost: boolean;
  oversizedRows: number;
  /**
   * The end of the turn, or a fault, that the other server or the agent in its terminal reported. Null if exit code and output
   * show the end.
   */
  reportedOutcome: { outcome: TurnOutcome; error: RecordError | null } | null;
  /** Why it is unknown whether the agent has the prompt; null if it is known. */
  outcomeUnknown: string | null;
  /** The prompt was handed over and not taken, and no part of it is left with the agent. */
  notTaken: boolean;
  /** The text that was pasted into a terminal may still be in its composer, or appear there. */
  stranded: boolean;
  sessionId: string | null;
  answer: AgentAnswer | null;
  usage: TurnUsage | null;
}

/** The signs of an agent that reported nothing; every turn begins with them. */
export const noSigns: TurnSigns = {
  startFault: null,
  exitCode: null,
  signal: null,
  endedAt: null,
  completion: null,
  lastError: null,
  stderrTail: '',
  sessionLost: false,
  supervisorLost: false,
  oversizedRows: 0,
  reportedOutcome: null,
  outcomeUnknown: null,
  notTaken: false,
  stranded: false,
  sessionId: null,
  answer: null,
  usage: null,
};

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
