import { toSortedJson } from '../../foundation/json-text.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { ScreenFacts } from './sight.js';
import type { TrackerTimings } from './tracker-timings.js';
import type { TurnState } from './turn-reducer.js';

// Recoveries keep a terminal from counting as busy forever. There are two watches, each in one of these states:
//
// off       its conditions do not hold, or a prompt was submitted
// watching  they hold with the same key
// applied   they have held with the same key for its time: the terminal counts as ready
//
// stale-active         only a status row shows work, over an open composer, and no submitted prompt is awaited
// final stable-active  the screen shows work, by any sign, and its text is exactly the same; not while stale-active applies
//
// A dialog waits for a person, however long that takes, so neither watch runs during one. Neither ever ends a turn.

/** The watch that made the terminal count as ready. */
export type Recovered = 'stale_active' | 'final_stable_active';

interface Watch {
  key: string;
  since: number;
}

export interface Recoveries {
  stale: Watch | null;
  final: Watch | null;
  applied: Recovered | null;
}

export const noRecoveries: Recoveries = { stale: null, final: null, applied: null };

/** A screen that was understood, with its interpretation. */
export interface Observed {
  at: number;
  signals: FrameSignals;
  sight: ScreenFacts;
  turn: TurnState;
}

export type RecoveryTimings = Pick<
  TrackerTimings,
  'staleActiveRecoverySeconds' | 'finalStableActiveRecoverySeconds'
>;

export function nextRecoveries(
  previous: Recoveries,
  observed: Observed,
  timings: RecoveryTimings,
): Recoveries {
  const { at, sight, turn } = observed;
  if (turn.phase !== 'active' || sight.dialog) return noRecoveries;
  const stale = isStaleActive(observed) ? watched(previous.stale, staleKey(observed), at) : null;
  if (stale && at - stale.since >= timings.staleActiveRecoverySeconds * 1000)
    return { stale, final: null, applied: 'stale_active' };
  const final = watched(previous.final, sight.signature, at);
  const over = at - final.since >= timings.finalStableActiveRecoverySeconds * 1000;
  return { stale, final, applied: over ? 'final_stable_active' : null };
}

const watched = (watch: Watch | null, key: string, at: number): Watch =>
  watch?.key === key ? watch : { key, since: at };

const isStaleActive = ({ signals, sight, turn }: Observed): boolean =>
  turn.awaited?.authority !== 'explicit_input' &&
  signals.promptVisible &&
  signals.overlay === null &&
  sight.surface.acceptingInput === 'yes' &&
  sight.surface.editingInput === 'no' &&
  signals.activeReasons.every((reason) => reason === 'status_row');

const staleKey = ({ signals, sight, turn }: Observed): string =>
  toSortedJson({
    signature: sight.signature,
    surface: sight.surface,
    lastTurn: turn.lastTurn,
    reasons: signals.activeReasons,
  });
