import type { RecordError } from './record-error.js';

/** What an agent says that a turn used (docs/decisions.md#usage). */
export interface TurnUsage {
  /** The model that answered, as the agent names it. */
  model: string | null;
  /** What the amounts are of. */
  scope: 'turn' | 'conversation';
  /** By name, as `tools/adapter/row-facts.ts` names them. */
  amounts: Record<string, number>;
}

/** Keeps the numbers of what an agent told. @returns null when it told nothing. */
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

/** What the agent answered, as far as it is kept. */
export interface Answer {
  text: string;
  truncated: boolean;
}

/** In UTF-16 units. */
const maxLength = 1024 * 1024;

export const answerOf = (text: string): Answer => ({
  text: text.slice(0, maxLength),
  truncated: text.length > maxLength,
});

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
