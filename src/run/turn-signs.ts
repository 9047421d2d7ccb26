import type { RecordError } from './record-error.js';
export type TurnOutcome = 'completed' | 'failed' | 'interrupted' | 'replaced';

/** What is known when a turn is over; `judge` in verdict.ts decides on it. */
export interface TurnSigns {
  /** Why the agent could not be started, or the turn not be followed to its end; null when it was. */
  startFault: RecordError | null;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The last `completion` event. */
  completion: { successful: boolean; message: string } | null;
  lastError: string | null;
  /** Redacted. */
  stderrTail: string;
  sessionLost: boolean;
  /** The supervisor of the turn vanished, so the exit is not known. */
  supervisorLost: boolean;
  oversizedRows: number;
  /** What the server that runs the agent said of the turn, or what went wrong with that server; null for local turns. */
  remoteOutcome: { outcome: TurnOutcome; error: RecordError | null } | null;
  /** Why it is not known whether the agent has the prompt; null when it is known. */
  deliveryUnknown: string | null;
  sessionId: string | null;
  answer: { text: string; truncated: boolean } | null;
}

/** The signs of an agent that said nothing; every turn begins with them. */
export const noSigns: TurnSigns = {
  startFault: null,
  exitCode: null,
  signal: null,
  completion: null,
  lastError: null,
  stderrTail: '',
  sessionLost: false,
  supervisorLost: false,
  oversizedRows: 0,
  remoteOutcome: null,
  deliveryUnknown: null,
  sessionId: null,
  answer: null,
};
