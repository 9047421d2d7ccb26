import type { StopOutcome } from '../../run/running-turn.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { checkTerminal, isAtWork, nextSign, type TerminalParts } from './terminal-check.js';

/** The time limit for an Escape to take effect. */
const enoughMilliseconds = 5000;
/** The time after which Escape is pressed again if the agent is still seen at work. */
const againMilliseconds = 1500;
/** The time limit for an agent that has just taken a prompt to be seen at work. */
const startMilliseconds = 2000;

/** The turn that is to be interrupted. */
export interface TurnToInterrupt {
  /** True while the agent has the turn and is perhaps only not seen at work yet. */
  mayBegin: () => boolean;
  /** True if the turn has ended, so that any work now belongs to something else. */
  isOver: () => boolean;
}

/** No turn is known to run: any work is to be interrupted. */
const anyWork: TurnToInterrupt = { mayBegin: () => false, isOver: () => false };

/**
 * Presses Escape if the agent works or asks something, and waits for the effect (docs/decisions.md#interrupts-in-a-terminal). An
 * idle agent gets no key: it would open a menu, or remove a draft. Escape is pressed between deliveries: during one it would put
 * the prompt back into the composer, and the Enter that follows would submit it again.
 */
export async function interruptTerminal(
  parts: TerminalParts,
  turn: TurnToInterrupt = anyWork,
): Promise<StopOutcome> {
  const { clock } = parts;
  const asked = clock.monotonic();
  while (!isAtWork(parts, await checkTerminal(parts))) {
    const isLate = clock.monotonic() - asked >= startMilliseconds;
    if (isLate || turn.isOver() || !turn.mayBegin()) return { outcome: 'no_op' };
    await nextSign(parts);
  }
  let begun: number | null = null;
  try {
    while (begun === null || clock.monotonic() - begun < enoughMilliseconds) {
      if (!(await parts.typing.run(() => pressEscape(parts, turn))))
        return begun === null ? { outcome: 'no_op' } : { outcome: 'stopped', signal: null };
      const pressed = clock.monotonic();
      begun ??= pressed;
      while (clock.monotonic() - pressed < againMilliseconds) {
        await nextSign(parts);
        if (!isAtWork(parts, await checkTerminal(parts))) return { outcome: 'stopped', signal: null };
      }
    }
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    return unanswered(error.message);
  }
  return unanswered(`the agent was still at work ${enoughMilliseconds / 1000} s after Escape`);
}

/** @returns false if there is nothing left to interrupt, after a delivery that was waited for. */
async function pressEscape(parts: TerminalParts, turn: TurnToInterrupt): Promise<boolean> {
  const checked = await checkTerminal(parts);
  if (turn.isOver() || !isAtWork(parts, checked)) return false;
  parts.watch.tracker.noteInterrupt();
  await (await parts.watch.pane()).type([{ key: 'Escape' }]);
  return true;
}

const unanswered = (why: string): StopOutcome => ({
  outcome: 'failed',
  error: { code: 'interrupt_unanswered', detail: `The interrupt has shown no effect: ${why}.` },
});
