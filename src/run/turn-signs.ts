import type { Answer } from './answer.js';
import type { RecordError } from './record-error.js';
import type { TurnUsage } from './turn-usage.js';

export type TurnOutcome = 'completed' | 'failed' | 'interrupted' | 'replaced';

/** What is known when a turn is over; `judge` in verdict.ts decides on it. */
export interface TurnSigns {
  /** Why the agent could not be started, or the turn not be followed to its end; null when it was. */
  startFault: RecordError | null;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** When its process ended; null where nothing tells. Whoever sees that may come hours later. */
  endedAt: Date | null;
  /** The last `completion` event. */
  completion: { successful: boolean; message: string } | null;
  lastError: string | null;
  /** Redacted. */
  stderrTail: string;
  sessionLost: boolean;
  /** The supervisor of the turn vanished, so the exit is not known. */
  supervisorLost: boolean;
  oversizedRows: number;
  /**
   * How it ended by the word of whoever runs the agent: another server, or the agent in its terminal; also what went wrong
   * there. Null where exit and output say it.
   */
  toldOutcome: { outcome: TurnOutcome; error: RecordError | null } | null;
  /** Why it is not known whether the agent has the prompt; null when it is known. */
  deliveryUnknown: string | null;
  /** The prompt was handed over and not taken, and nothing of it is left with the agent. */
  notTaken: boolean;
  /** What was pasted into a terminal may still stand in its composer, or appear there. */
  stranded: boolean;
  sessionId: string | null;
  answer: Answer | null;
  usage: TurnUsage | null;
}

/** The signs of an agent that said nothing; every turn begins with them. */
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
  toldOutcome: null,
  deliveryUnknown: null,
  notTaken: false,
  stranded: false,
  sessionId: null,
  answer: null,
  usage: null,
};
