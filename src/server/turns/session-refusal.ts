import { sessionTrouble } from '../../agent/target/agent-target.js';
import { UnusableFile } from '../../foundation/faults.js';
import { StoreUnavailable } from '../../storage/storage-fault.js';
import { type ManagedAgent, spokenName } from '../directory/managed-agent.js';
import { RecordsUnreadable } from '../sessions/parked-reader.js';
import type { PromptWay } from './prompt-plan.js';
import { refuse, type TurnRefusal } from './turn-refusal.js';

/**
 * Converts a fault in the files of a session, such as other processes cause, to a refusal without their paths.
 * @throws the error when it is a fault in the code.
 */
export function sessionRefusal(error: unknown, way: PromptWay): TurnRefusal {
  if (error instanceof RecordsUnreadable) return refuse('unavailable', error.message);
  if (error instanceof StoreUnavailable) return refuse('unavailable', error.fault.detail);
  if (!(error instanceof UnusableFile)) throw error;
  // On the route of turns, an agent that cannot be resumed is a conflict.
  return refuse(way === 'turns' ? 'busy' : 'unavailable', sessionTrouble(error));
}

export const noSession = (agent: ManagedAgent): TurnRefusal =>
  refuse(
    'unavailable',
    `Agent \`${spokenName(agent)}\` has no session root, so it cannot be prompted from here.`,
  );
