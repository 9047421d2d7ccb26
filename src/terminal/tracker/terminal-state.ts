import type { Recovered } from './recoveries.js';
import type { NotedAnswer, ShownDialog } from './shown-dialog.js';
import type { TerminalSnapshot } from './terminal-snapshot.js';
import type { Transition } from './transitions.js';
import type { Authority, SeenOfTurn } from './turn-shapes.js';

/** The terminal as it was last observed. What follows `transitions` is for the gateway itself. */
export interface TerminalState extends TerminalSnapshot {
  /** The latest changes, the oldest first. */
  transitions: readonly Transition[];
  /** The dialog that is up. */
  dialog: ShownDialog | null;
  /** The latest answer of ours to a dialog; null before the first. */
  answered: NotedAnswer | null;
  /** What was seen so far of the turn whose end is waited for; null when none is. */
  awaited: { authority: Authority; seen: SeenOfTurn } | null;
  /** Why the terminal counts as ready although its screen shows work; null when no recovery was needed. */
  recovered: Recovered | null;
  /** Whether the screen was not understood for longer than `unknownToStalledTimeoutSeconds`. */
  stalled: boolean;
}
