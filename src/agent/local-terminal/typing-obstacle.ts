import { composerContent } from '../../terminal/composer-content.js';
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

/**
 * Why a prompt cannot be typed now, as the end of a sentence; null when it can. A forced one needs no more than an empty
 * composer.
 */
export function typingObstacle(
  { forced, text }: { forced: boolean; text: string },
  { state, signals }: Pick<Looked, 'state' | 'signals'>,
  said: Pick<SaidState, 'state' | 'waitingFor' | 'since'> | null,
  now: number,
): string | null {
  const { reasons } = promptReadiness(state, said, now);
  if (!forced) return reasons.length === 0 ? null : `the TUI is not submit-ready (${reasons.join(', ')})`;
  const { availability } = state.diagnostics;
  if (availability !== 'available') return `the terminal cannot be typed into: ${outOfReach[availability]}`;
  if (signals?.dialog || said?.state === 'waiting') return 'the agent waits for a person to answer a dialog';
  if (!signals || composerContent(signals, text) !== 'empty')
    return 'the composer is not empty, or is not on the screen';
  return null;
}
