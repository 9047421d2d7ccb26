import type { ManagedAgent } from '../directory/managed-agent.js';
import {
  type AgentSummary,
  type Availability,
  type Diagnostic,
  diagnostic,
  type LastTurn,
} from './agent-summary.js';
import { resultOf, type SessionTurns } from './session-turns.js';

/** What a tracker of a terminal says, the server's own or the gateway's. Times are ISO 8601 in UTC. */
export interface TerminalFacts {
  readonly availability: 'available' | 'unavailable' | 'tui_down' | 'error' | 'unknown';
  readonly phase: 'ready' | 'active' | 'unknown';
  readonly lastTurn: {
    readonly result: 'success' | 'interrupted' | 'known_failure' | 'none';
    readonly updatedAtUtc: string | null;
  };
  /** What went wrong with the last look. */
  readonly errors: readonly Diagnostic[];
}

export interface TerminalSummaryFacts {
  readonly agent: ManagedAgent;
  readonly terminal: TerminalFacts;
  /** The prompts of ours that it got; what a person typed is not among them. */
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

/** Its screen is followed all the same. */
const withoutSession = diagnostic(
  'no_session_root',
  'It has no session root, so it cannot be prompted from here; register it with its session_root or manifest_path.',
);

/** A screen that is not understood keeps nobody from trying. */
export function availabilityOf(seen: TerminalFacts['availability']): Availability {
  if (seen === 'error') return 'error';
  return seen === 'unavailable' || seen === 'tui_down' ? 'unavailable' : 'available';
}

/** The later of what was seen on the screen and what is on record: while a gateway watched, only it saw the screen. */
function lastTurn({ lastTurn: seen }: TerminalFacts, turns: SessionTurns): LastTurn {
  const recorded = turns.kind === 'known' ? turns.latestEnded : null;
  const endedAtUtc = recorded?.endedAtUtc ?? null;
  const later = endedAtUtc !== null && millisecondsOf(endedAtUtc) > millisecondsOf(seen.updatedAtUtc);
  const latest = recorded && later ? { result: resultOf(recorded), updatedAtUtc: endedAtUtc } : seen;
  return { ...latest, turnId: null, turnIndex: null };
}

/** A stamp of a whole second is of any moment in it. */
const millisecondsOf = (stamp: string | null): number =>
  stamp === null ? Number.NEGATIVE_INFINITY : Math.floor(Date.parse(stamp) / 1000) * 1000;
