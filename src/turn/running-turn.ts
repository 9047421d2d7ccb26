import type { ProcessIdentity } from '../foundation/process-identity.js';
import type { TurnSigns } from './turn-signs.js';

/** Told while a turn runs. */
export interface TurnObserver {
  /** A process of the turn exists; kept on disk so that a later start can end what this one left. */
  spawned(process: ProcessIdentity): void;
  /** The agent's process or terminal has the prompt. */
  handedOver(evidence: string): void;
  /** The agent showed that it took the prompt. */
  confirmed(evidence: string): void;
  /** The provider named its conversation. */
  sessionSeen(sessionId: string): void;
  /** Something went wrong that does not end the turn. */
  fault(detail: string): void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** Steps of ending a turn: the signal, and how long to wait before the next (decisions 44, 45). */
export type StopLadder = readonly { signal: StopSignal; waitMs: number }[];

/** What became of the wish that an agent stop. */
export type StopOutcome =
  /** With the strongest signal it took; null where the server that runs the agent was asked instead. */
  | { outcome: 'stopped'; signal: StopSignal | null }
  /** There was nothing to stop. */
  | { outcome: 'no_op' }
  /** It may still run. */
  | { outcome: 'failed'; error: { code: string; detail: string } };

/** An ordinary interrupt: ask, then insist (decision 45). */
export const interruptLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 5000 },
  { signal: 'SIGTERM', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];
/** A forced prompt, or the gateway going down, waits less (decision 44). */
export const forceLadder: StopLadder = [
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGTERM', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];

/** A turn that runs. */
export interface RunningTurn {
  /** Settles when nothing of the turn runs any more. Never rejects. */
  readonly ended: Promise<TurnSigns>;
  /**
   * Ends it step by step, and resolves when it has ended. A turn on another server may refuse to end: then this fails,
   * and with `letGo` the turn is given up, so that it no longer holds the slot.
   */
  stop(ladder: StopLadder, letGo: boolean): Promise<StopOutcome>;
}
