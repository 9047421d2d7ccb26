import type { StopOutcome } from '../../run/running-turn.js';
import type { AgentTarget, Inspection, Refusal } from './agent-target.js';
import { notConnected } from './session-trouble.js';

/** Stands in for an agent of a kind that this release cannot drive yet. It is never connected and takes no prompts. */
export class UnbuiltTarget implements AgentTarget {
  readonly capabilities = { prompts: 'unbuilt', keys: 'none', screen: 'none' } as const;
  readonly remote = false;
  readonly interactive = false;
  readonly terminal = null;
  readonly #detail: string;

  constructor(backend: string) {
    this.#detail = `Agents of backend ${backend} cannot be driven by this release.`;
  }

  async inspect(): Promise<Inspection> {
    return notConnected(this.#detail);
  }
  resolve(): Refusal {
    return { code: 'unavailable', detail: this.#detail };
  }
  check(): null {
    return null;
  }
  adopt(): null {
    return null;
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
}
