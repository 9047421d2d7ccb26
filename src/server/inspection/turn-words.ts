import type { LastTurn } from './agent-summary.js';
import type { SessionTurns, TurnFacts } from './session-turns.js';

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
