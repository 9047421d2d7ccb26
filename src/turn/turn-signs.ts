import type { TurnOutcome } from './turn-table.js';

/** What is known when a turn is over; `judge` in verdict.ts decides on it. */
export interface TurnSigns {
  /** Why the agent could not be started; null when it was. */
  startFault: { code: string; detail: string } | null;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The last `completion` event. */
  completion: { successful: boolean; message: string } | null;
  lastError: string | null;
  /** Redacted. */
  stderrTail: string;
  sessionLost: boolean;
  /** Whoever supervised the turn vanished, so that its exit is not known. */
  supervisorLost: boolean;
  oversizedRows: number;
  /** What the server that runs the agent said of the turn, or what went wrong with that server; null for local turns. */
  told: { outcome: TurnOutcome; error: { code: string; detail: string } | null } | null;
  /** Why it is not known whether the agent has the prompt; null when it is known. */
  deliveryUnknown: string | null;
  sessionId: string | null;
  answer: { text: string; truncated: boolean } | null;
}

/** An agent that said nothing: what a turn begins with. */
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
  told: null,
  deliveryUnknown: null,
  sessionId: null,
  answer: null,
};
