import type { StopOutcome } from '../../run/running-turn.js';
import type { AgentTarget, Inspection, Refusal } from './agent-target.js';
import { notConnected } from './session-trouble.js';

/** Stands in for an agent of a kind that this release cannot drive yet. It is never connected and takes no prompts. */
export class UnbuiltTarget implements AgentTarget {
  readonly capabilities: AgentTarget['capabilities'];
  readonly remote = false;
  readonly #detail: string;

  /** @param terminal whether the agent runs in a terminal of this machine, with keys and a screen. */
  constructor(backend: string, terminal: boolean) {
    const ofTerminal = terminal ? 'unbuilt' : 'none';
    this.capabilities = { prompts: 'unbuilt', keys: ofTerminal, screen: ofTerminal };
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
