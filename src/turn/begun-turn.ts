import type { ResolvedTurn, TurnAssignment } from '../agent/target/agent-target.js';
import type { TurnOrigin } from './turn-table.js';
import type { Verdict } from './verdict.js';

/** A turn that is to begin. */
export interface TurnOrder extends ResolvedTurn, TurnAssignment {
  origin: TurnOrigin;
  requestId: string | null;
  tool: string;
}

/** What else belongs in the transactions of a turn. */
export interface TurnCompanion {
  /** @returns false when the turn must not begin after all (the request was cancelled meanwhile). */
  claimed(atUtc: string): boolean;
  /** The agent has the prompt; only asked of agents that stay (those in a terminal). */
  delivered?(atUtc: string): void;
  ended(atUtc: string, verdict: Verdict): void;
}

/** A turn under way. */
export interface BegunTurn {
  /**
   * Whether the agent got the prompt (an agent that stays: whether it showed that); `left` when the turn was left before
   * that was known. Never rejects.
   */
  handedOver: Promise<boolean | 'left'>;
  /** How it ended; null when it was left running. Never rejects: a fault at its end is reported, and fails it. */
  over: Promise<Verdict | null>;
}
