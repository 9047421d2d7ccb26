import type { StopOutcome } from '../../run/running-turn.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { sightOf } from '../../terminal/tracker/sight.js';
import { lookNow, nextSign, type TerminalParts } from './terminal-parts.js';
import type { Looked } from './terminal-sight.js';

/** So long an Escape has to take effect. */
const enoughMilliseconds = 5000;
/** Before it is pressed again, where the agent is still seen at work. */
const againMilliseconds = 1500;
/** For an agent that has just taken a prompt to be seen at work. */
const startMilliseconds = 2000;

/**
 * Presses Escape where the agent works or asks something, and waits for the effect (docs/decisions.md#interrupts-in-a-terminal).
 * An idle agent gets no key: it would open a menu, or take a draft away.
 * @param isOver whether no turn is known to run; while one does, the agent may only not be seen at work yet.
 */
export async function interruptTerminal(
  parts: TerminalParts,
  isOver: () => boolean = () => true,
): Promise<StopOutcome> {
  const { clock, watch } = parts;
  const asked = clock.monotonic();
  while (!isBusy(parts, await lookNow(parts))) {
    if (isOver() || clock.monotonic() - asked >= startMilliseconds) return { outcome: 'no_op' };
    await nextSign(parts);
  }
  const begun = clock.monotonic();
  let pressed = Number.NEGATIVE_INFINITY;
  try {
    while (clock.monotonic() - begun < enoughMilliseconds) {
      if (clock.monotonic() - pressed >= againMilliseconds) {
        pressed = clock.monotonic();
        watch.tracker.noteInterrupt();
        await (await watch.pane()).type([{ key: 'Escape' }]);
      }
      await nextSign(parts);
      if (!isBusy(parts, await lookNow(parts))) return { outcome: 'stopped', signal: null };
    }
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    return unanswered(error.message);
  }
  return unanswered(`the agent was still at work ${enoughMilliseconds / 1000} s after Escape`);
}

const unanswered = (why: string): StopOutcome => ({
  outcome: 'failed',
  error: { code: 'interrupt_unanswered', detail: `The interrupt has shown no effect: ${why}.` },
});

/** Whether the agent is seen at work, or waiting for a person, by its screen or by its word. */
export function isBusy(
  { report }: Pick<TerminalParts, 'report'>,
  { signals }: Pick<Looked, 'signals'>,
): boolean {
  const seen = signals !== null && (sightOf(signals).active || signals.dialog !== null);
  return seen || (report.said !== null && report.said.state !== 'idle');
}
