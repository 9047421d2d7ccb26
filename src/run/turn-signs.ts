import type { RecordError } from './record-error.js';

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

/** The known facts at the end of a turn; `judge` in verdict.ts decides on it. */
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
