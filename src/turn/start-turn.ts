import type { ResolvedTurn, TurnAssignment } from '../agent/target/agent-target.js';
import type { RecordError } from '../run/record-error.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../run/running-turn.js';
import { noSigns } from '../run/turn-signs.js';

export const nothingToStop: StopOutcome = { outcome: 'no_op' };

/** Hands a prompt over; what is thrown on the way is how its turn ended. */
export function startTurn(order: ResolvedTurn & TurnAssignment, observer: TurnObserver): RunningTurn {
  try {
    return order.start(order, observer);
  } catch (error) {
    const startFault: RecordError = { code: 'dispatch_failed', detail: (error as Error).message };
    return {
      ended: Promise.resolve({ ...noSigns, startFault }),
      stop: async () => nothingToStop,
      leave: () => undefined,
    };
  }
}
