import type { Clock } from '../../foundation/clock.js';
import type { StatusBoard } from './status-board.js';

/** While no caller asks for the status, the agent is looked at this often, so that `state.json` is not wrong for long. */
const idleProbeMilliseconds = 5000;

export interface IdleProbeParts {
  board: Pick<StatusBoard, 'current'>;
  clock: Clock;
  /** Called after each look, also after one that failed. */
  looked: () => void;
  report: (fault: string) => void;
}

/** Looks at the agent now and then, until `signal` fires. */
export async function probeWhileIdle(parts: IdleProbeParts, signal: AbortSignal): Promise<void> {
  const { board, clock, looked, report } = parts;
  while (!signal.aborted) {
    await clock.sleep(idleProbeMilliseconds, signal);
    if (signal.aborted) return;
    await board
      .current()
      .catch((error: Error) => report(`the agent could not be looked at: ${error.message}`));
    looked();
  }
}
