import type { Transition } from '../../terminal/tracker/terminal-state.js';
import type { AgentSummary, Availability, LastTurnSummary } from './agent-summary.js';
import { resultOf, type SessionTurns, sentenceOf, statusOf } from './session-turns.js';
import { availabilityOf, type TerminalFacts } from './terminal-summary.js';

/** One turn of a headless agent, or one change of a terminal. */
export interface HistoryEntry {
  readonly recordedAtUtc: string;
  readonly summary: string;
  readonly availability: Availability;
  readonly phase: AgentSummary['phase'];
  readonly result: LastTurnSummary['result'];
  readonly turnId: string | null;
}

/** A change of a terminal, the server's own or the gateway's. */
export interface TerminalChange {
  readonly recordedAtUtc: string;
  readonly summary: Transition['summary'];
  readonly availability: TerminalFacts['availability'];
  readonly phase: AgentSummary['phase'];
  readonly result: TerminalFacts['lastTurn']['result'];
}

/**
 * Returns the latest changes, oldest first.
 * @param limit at least 1.
 */
export const terminalHistory = (changes: readonly TerminalChange[], limit: number): HistoryEntry[] =>
  changes
    .slice(-limit)
    .map((change) => ({ ...change, availability: availabilityOf(change.availability), turnId: null }));

/** Returns turns, the latest begun first. A turn that is on record was begun, so its agent was there. */
export const headlessHistory = (turns: Extract<SessionTurns, { kind: 'known' }>): HistoryEntry[] =>
  turns.newest.map((turn) => ({
    recordedAtUtc: turn.endedAtUtc ?? turn.startedAtUtc,
    summary: sentenceOf(turn.turnId, statusOf(turn), turn.error?.detail ?? null),
    availability: 'available',
    phase: turn.state === 'running' ? 'active' : 'ready',
    result: resultOf(turn),
    turnId: turn.turnId,
  }));
