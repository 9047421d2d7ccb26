import type { RunningTurn } from '../turn/running-turn.js';
import type { AgentTarget, Inspection, Refusal } from './agent-target.js';

/** Stands where an agent of a kind that this release cannot drive yet would be. It claims nothing and takes nothing. */
export class UnbuiltTarget implements AgentTarget {
  readonly surface;
  readonly #detail: string;

  constructor(surface: 'headless' | 'tui', detail: string) {
    this.surface = surface;
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
  checkExecution(): null {
    return null;
  }
  start(): RunningTurn {
    throw new Error(this.#detail);
  }
  settle(): void {}
}
