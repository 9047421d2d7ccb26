import type { TurnOutcome } from '../../run/turn-signs.js';
import type { TurnOrigin } from '../../turn/turn-table.js';

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
