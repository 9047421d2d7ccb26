import { returncodeOf } from '../../run/agent-exit.js';
import { storedError } from '../../run/record-error.js';
import type { SessionTurns, SessionTurnsReader, TurnFacts } from '../inspection/session-turns.js';
import type { HeldSession } from '../sessions/held-session.js';
import { RecordsUnreadable } from '../sessions/parked-reader.js';
import type { IndexedTurn } from '../sessions/session-records.js';

const nothing: SessionTurns = { kind: 'known', running: null, newest: [], latestEnded: null };

/** What inspection reads of a session's turns. */
export const turnsOnRecord = (held: HeldSession): SessionTurnsReader => ({
  read: (limit) => {
    try {
      return held.read((records): SessionTurns => {
        const running = records.running();
        const latestEnded = records.latestEnded();
        return {
          kind: 'known',
          running: running && factsOf(running, records.interruptRequested(running.turn_id)),
          newest: records.newest(limit).map((row) => factsOf(row)),
          latestEnded: latestEnded && factsOf(latestEnded),
        };
      }, nothing);
    } catch (error) {
      if (error instanceof RecordsUnreadable) return { kind: 'unknown', detail: error.message };
      return { kind: 'unknown', detail: 'The records of the session cannot be read now.' };
    }
  },
});

const factsOf = (row: IndexedTurn, interruptRequestedAtUtc: string | null = null): TurnFacts => ({
  turnId: row.turn_id,
  turnIndex: row.turn_index,
  origin: row.origin,
  state: row.state,
  startedAtUtc: row.started_at_utc,
  endedAtUtc: row.ended_at_utc,
  outcome: row.outcome,
  returncode: returncodeOf(row.exit_code, row.signal),
  error: storedError(row.error_code, row.error_detail),
  interruptRequestedAtUtc,
});
