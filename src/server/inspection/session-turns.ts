import type { TurnOutcome } from '../../run/turn-signs.js';
import type { TurnOrigin } from '../../turn/turn-table.js';
import type { LastTurn } from './agent-summary.js';

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
  /** When an interrupt was asked for, while it runs; null where none was. */
  readonly interruptRequestedAtUtc: string | null;
}

/** What the turn table of a session holds now. */
export type SessionTurns =
  | {
      readonly kind: 'known';
      readonly running: TurnFacts | null;
      /** The newest that was asked for, running ones too: the latest begun first. */
      readonly newest: readonly TurnFacts[];
      /** The one that ended last. */
      readonly latestEnded: TurnFacts | null;
    }
  /** Its database cannot be read now; the sentence has no path. That is no "there are none". */
  | { readonly kind: 'unknown'; readonly detail: string };

/** Reads the turns of a session, of which this server or a gateway is the owner. */
export interface SessionTurnsReader {
  /** Never throws: another process may be killed while it writes. @param limit at least 1. */
  read(limit: number): SessionTurns;
}

/** How a turn of any agent ended. A turn that was replaced did not come to its end. */
export function resultOf({ state, outcome }: TurnFacts): LastTurn['result'] {
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

/** As the routes of turns call it. A forced prompt that took its place ended it. */
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

/** A turn in one line, the same wherever it is told of. @param why what went wrong; null where nothing did. */
export function sentenceOf(turnId: string, status: Status, why: string | null): string {
  const reason = status === 'failed' && why !== null ? why.replace(/\s+/g, ' ').trim().slice(0, mostWhy) : '';
  return `Turn ${turnId} ${sentences[status]}${reason === '' ? '.' : `: ${reason}`}`;
}

/** The turn that the latest result is of: the one that ended last, else the first one, which runs. */
export const turnOfResult = (turns: SessionTurns): TurnFacts | null =>
  turns.kind === 'known' ? (turns.latestEnded ?? turns.running) : null;

export function lastTurnOf(turns: SessionTurns): LastTurn {
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
