import { composerContent } from '../../terminal/composer-content.js';
import { unstable } from '../../terminal/tracker/readiness-reasons.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import { promptReadiness } from './prompt-readiness.js';
import type { SaidState } from './said-state.js';
import type { Looked } from './terminal-sight.js';

type Availability = TerminalState['diagnostics']['availability'];

const outOfReach: Readonly<Record<Exclude<Availability, 'available'>, string>> = {
  unavailable: 'its tmux session is gone',
  tui_down: 'the tool has ended, start it again there',
  error: 'it cannot be read',
  unknown: 'its screen was not recognised',
};

/** The reason why a prompt cannot be typed now. */
export interface TypingObstacle {
  /** The end of a sentence. */
  detail: string;
  /** Nothing but the screen, which still changes: it only has to come to rest. */
  redraws: boolean;
}

/** Null when a prompt can be typed now. A forced one needs no more than an empty composer. */
export function typingObstacle(
  { forced, text }: { forced: boolean; text: string },
  { state, signals }: Pick<Looked, 'state' | 'signals'>,
  said: Pick<SaidState, 'state' | 'waitingFor' | 'since'> | null,
  now: number,
): TypingObstacle | null {
  if (forced) {
    const detail = forcedObstacle(text, { state, signals }, said);
    return detail === null ? null : { detail, redraws: false };
  }
  const { reasons } = promptReadiness(state, said, now);
  if (reasons.length === 0) return null;
  const redraws = reasons.every((reason) => reason === unstable);
  return { detail: `the TUI is not submit-ready (${reasons.join(', ')})`, redraws };
}

function forcedObstacle(
  text: string,
  { state, signals }: Pick<Looked, 'state' | 'signals'>,
  said: Pick<SaidState, 'state'> | null,
): string | null {
  const { availability } = state.diagnostics;
  if (availability !== 'available') return `the terminal cannot be typed into: ${outOfReach[availability]}`;
  if (signals?.dialog || said?.state === 'waiting') return 'the agent waits for a person to answer a dialog';
  if (!signals || composerContent(signals, text) !== 'empty')
    return 'the composer is not empty, or is not on the screen';
  return null;
}
