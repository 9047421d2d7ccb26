import type { RunningTurn, StopOutcome } from '../turn/running-turn.js';
import type { AgentTarget, Inspection, Refusal } from './agent-target.js';

/** Stands where an agent of a kind that this release cannot drive yet would be. It claims nothing and takes nothing. */
export class UnbuiltTarget implements AgentTarget {
  readonly surface = 'tui';
  readonly remote = false;
  readonly #detail: string;

  constructor(detail: string) {
    this.#detail = detail;
  }

  async inspect(): Promise<Inspection> {
    return {
      connected: false,
      instanceId: null,
      surface: 'unknown',
      acceptsPrompts: false,
      detail: this.#detail,
    };
  }
  resolve(): Refusal {
    return { code: 'unavailable', detail: this.#detail };
  }
  check(): null {
    return null;
  }
  start(): RunningTurn {
    throw new Error(this.#detail);
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
}
