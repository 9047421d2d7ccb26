import type { Facts, Violation } from '../facts.js';
import type { Stage } from '../stage.js';

/** The known facts after one play of a row. */
export interface Outcome {
  facts: Facts;
  violations: readonly Violation[];
  /** Whether the gateway said that a prompt may go in. */
  wasReady: boolean;
}

/** Something that is counted in each play of a row. */
export interface Count {
  name: string;
  /** So often it may be in one play. */
  most: number;
  /** Whether it must never be, or always. */
  wanted: 'none' | 'all';
  of: (outcome: Outcome) => number;
}

/** A fault that agents in terminals are known for. */
export interface FaultRow {
  name: string;
  /** Of `HOUMAO_STANDIN_TUI`. */
  switches: readonly string[];
  /** Begins when the gateway has said that a prompt may go in, or has not said so for a while. */
  play: (stage: Stage, tagOf: (serial: number) => string) => Promise<void>;
  counts: readonly Count[];
  /** A refusal comes within this time, in milliseconds; null where it is not looked at. */
  refusalLimit: number | null;
}
