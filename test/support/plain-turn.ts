import type { TurnAssignment } from '../../src/target/agent-target.js';
import type { TurnObserver } from '../../src/turn/running-turn.js';

/** A turn that asks for nothing in particular. */
export const plainAssignment: TurnAssignment = {
  turnId: 'turn-1',
  prompt: 'x',
  options: { chatSession: null, execution: null },
  session: { mode: 'tool_last_or_new' },
  model: { name: null, reasoningLevel: null },
  timeLimitSeconds: null,
};

/** Notes what a target says of a delivery, and nothing else. */
export function deliveryNotes(): TurnObserver & { handedOverBy: string[] } {
  const handedOverBy: string[] = [];
  return {
    handedOverBy,
    spawned: () => undefined,
    handedOver: (evidence) => void handedOverBy.push(evidence),
    confirmed: () => undefined,
    sessionSeen: () => undefined,
    fault: () => undefined,
  };
}
