import type { TurnOutcome } from '../../run/running-turn.js';
import type { TurnOrigin } from '../../turn/turn-table.js';
import type { LastTurnSummary } from './agent-summary.js';

/** A turn of a session, whichever program ran it. Times are ISO 8601 in UTC. */
export interface TurnFacts {
  readonly turnId: string;
  /** Its place among the turns of the session, from 1 on. */
  readonly turnIndex: number;
  readonly origin: TurnOrigin;
  readonly state: 'running' | 'ended';
  readonly startedAtUtc: string;
  readonly endedAtUtc: string | null;
  readonly outcome: TurnOutcome | null;
  /** Negative for the signal that ended it. */
  readonly returncode: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** The time at which an interrupt was requested, while the turn runs; null where none was. */
  readonly interruptRequestedAtUtc: string | null;
}

/** The content of the turn table of a session now. */
export type SessionTurns =
  | {
      readonly kind: 'known';
      readonly running: TurnFacts | null;
      /** The newest turns, as many as were requested, including a running one; the latest begun first. */
      readonly newest: readonly TurnFacts[];
      /** The turn that ended last. */
      readonly latestEnded: TurnFacts | null;
    }
  /** Its database cannot be read now, which does not mean that there are no turns. The sentence has no path. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** Reads the turns of a session, of which this server or a gateway is the owner. */
export interface SessionTurnsReader {
  /** Never throws: another process may be killed while it writes. @param limit at least 1. */
  read(limit: number): SessionTurns;
}

/** Returns the result of a turn of any agent. A turn that was replaced counts as interrupted. */
export function resultOf({ state, outcome }: TurnFacts): LastTurnSummary['result'] {
  if (state === 'running') return 'none';
  switch (outcome) {
    case 'completed':
      return 'success';
    case 'interrupted':
    case 'replaced':
      return 'interrupted';
    case 'failed':
      return 'known_failure';
    case null:
      return 'unknown';
  }
}

type Status = 'active' | 'completed' | 'failed' | 'interrupted' | 'unknown';

/** Returns the status of a turn as the routes of turns name it. A turn that a forced prompt replaced was interrupted. */
export function statusOf({ state, outcome }: Pick<TurnFacts, 'state' | 'outcome'>): Status {
  if (state === 'running') return 'active';
  return outcome === 'replaced' ? 'interrupted' : (outcome ?? 'unknown');
}

const sentences: Readonly<Record<Status, string>> = {
  active: 'was accepted and runs',
  completed: 'completed successfully',
  failed: 'failed',
  interrupted: 'was interrupted',
  unknown: 'ended, and it is not known how',
};
const mostWhy = 160;

/**
 * Returns a turn as one sentence, the same wherever it is reported.
 * @param why what went wrong; null where nothing did.
 */
export function sentenceOf(turnId: string, status: Status, why: string | null): string {
  const reason = status === 'failed' && why !== null ? why.replace(/\s+/g, ' ').trim().slice(0, mostWhy) : '';
  return `Turn ${turnId} ${sentences[status]}${reason === '' ? '.' : `: ${reason}`}`;
}

/** Returns the turn of the latest result: the one that ended last, otherwise the first one, while it runs. */
export const turnOfResult = (turns: SessionTurns): TurnFacts | null =>
  turns.kind === 'known' ? (turns.latestEnded ?? turns.running) : null;

export function lastTurnOf(turns: SessionTurns): LastTurnSummary {
  if (turns.kind === 'unknown')
    return { result: 'unknown', turnId: null, turnIndex: null, updatedAtUtc: null };
  const turn = turnOfResult(turns);
  return turn === null
    ? { result: 'none', turnId: null, turnIndex: null, updatedAtUtc: null }
    : {
        result: resultOf(turn),
        turnId: turn.turnId,
        turnIndex: turn.turnIndex,
        updatedAtUtc: turn.endedAtUtc ?? turn.startedAtUtc,
      };
}
