import type { ManagedAgent } from '../directory/managed-agents.js';
import {
  type AgentSummary,
  type Availability,
  type Diagnostic,
  diagnostic,
  type LastTurnSummary,
} from './agent-summary.js';
import { resultOf, type SessionTurns } from './session-turns.js';

/** The report of a terminal's tracker, the server's own or the gateway's. Times are ISO 8601 in UTC. */
export interface TerminalFacts {
  readonly availability: 'available' | 'unavailable' | 'tui_down' | 'error' | 'unknown';
  readonly phase: 'ready' | 'active' | 'unknown';
  readonly lastTurn: {
    readonly result: 'success' | 'interrupted' | 'known_failure' | 'none';
    readonly updatedAtUtc: string | null;
  };
  /** The errors of the last observation. */
  readonly errors: readonly Diagnostic[];
}

export interface TerminalSummaryFacts {
  readonly agent: ManagedAgent;
  readonly terminal: TerminalFacts;
  /** The turns of the prompts that it got from this software; input that a person typed is not among them. */
  readonly turns: SessionTurns;
  readonly gatewayTrouble: readonly Diagnostic[];
}

type Summed = Pick<AgentSummary, 'availability' | 'phase' | 'activeTurnId' | 'lastTurn' | 'diagnostics'>;

export function terminalSummary({ agent, terminal, turns, gatewayTrouble }: TerminalSummaryFacts): Summed {
  const { phase } = terminal;
  const trouble = agent.sessionRoot === null ? [withoutSession] : [];
  const availability = availabilityOf(terminal.availability);
  return {
    availability: availability === 'available' && trouble.length > 0 ? 'unavailable' : availability,
    phase,
    activeTurnId: phase === 'active' ? `tui-anchor:${agent.trackedAgentId}` : null,
    lastTurn: lastTurn(terminal, turns),
    diagnostics: [...trouble, ...terminal.errors, ...gatewayTrouble],
  };
}

/** The diagnostic of an agent whose screen is nevertheless followed. */
const withoutSession = diagnostic(
  'no_session_root',
  'It has no session root, so it cannot be prompted from here; register it with its session_root or manifest_path.',
);

/** Converts the availability of a terminal. A screen that is not understood counts as available, so that callers may try. */
export function availabilityOf(seen: TerminalFacts['availability']): Availability {
  if (seen === 'error') return 'error';
  return seen === 'unavailable' || seen === 'tui_down' ? 'unavailable' : 'available';
}

/** Returns the later of the turn seen on the screen and the turn on record: while a gateway watched, only it saw the screen. */
function lastTurn({ lastTurn: seen }: TerminalFacts, turns: SessionTurns): LastTurnSummary {
  const recorded = turns.kind === 'known' ? turns.latestEnded : null;
  const endedAtUtc = recorded?.endedAtUtc ?? null;
  const later = endedAtUtc !== null && millisecondsOf(endedAtUtc) > millisecondsOf(seen.updatedAtUtc);
  const latest = recorded && later ? { result: resultOf(recorded), updatedAtUtc: endedAtUtc } : seen;
  return { ...latest, turnId: null, turnIndex: null };
}

/** Returns the start of a stamp's second, because a stamp of a whole second may be of any moment in it. */
const millisecondsOf = (stamp: string | null): number =>
  stamp === null ? Number.NEGATIVE_INFINITY : Math.floor(Date.parse(stamp) / 1000) * 1000;
