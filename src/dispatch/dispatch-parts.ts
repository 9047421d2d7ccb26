import type { AgentTarget } from '../agent/target/agent-target.js';
import type { Journal } from '../events/journal.js';
import type { Clock } from '../foundation/clock.js';
import type { ExecutionSlot } from '../turn/live-turn.js';
import type { TurnService } from '../turn/turn-service.js';
import type { AxesSource } from './readiness.js';

/** The parts that the queue's worker, direct prompts and reminders all need to hand prompts to the agent. */
export interface DispatchParts {
  journal: Journal;
  axes: AxesSource;
  slot: ExecutionSlot;
  turns: TurnService;
  target: AgentTarget;
  /** Name of the agent's tool, for the record of its turns. */
  tool: string;
  clock: Clock;
}
