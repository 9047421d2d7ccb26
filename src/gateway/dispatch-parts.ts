import type { Clock } from '../foundation/clock.js';
import type { AgentTarget } from '../target/agent-target.js';
import type { ExecutionSlot } from '../turn/execution-slot.js';
import type { Journal } from './journal.js';
import type { Finals } from './requests/finals.js';
import type { StatusBoard } from './status/status-board.js';
import type { TurnService } from './turns/turn-service.js';

/** What everybody needs who hands prompts to the agent: the queue's worker, direct prompts, reminders. */
export interface DispatchParts {
  journal: Journal;
  board: StatusBoard;
  slot: ExecutionSlot;
  turns: TurnService;
  target: AgentTarget;
  tool: string;
  finals: Finals;
  clock: Clock;
}
