import { AgentWatch } from '../../agent/agent-watch.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { Axes, AxesSource } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { StorageWatch } from '../../storage/storage-watch.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';

interface AxesParts {
  target: Pick<AgentTarget, 'inspect'>;
  slot: ExecutionSlot;
  storage: Pick<StorageWatch, 'fault' | 'look'>;
  /** Whether work for an earlier instance of the agent is not settled. */
  blocked: () => boolean;
  clock: Clock;
}

/** What decides about prompts that the server itself hands to an agent: no queue is between them. */
export class DirectAxes implements AxesSource {
  readonly #parts: AxesParts;
  readonly #watch: AgentWatch;

  constructor(parts: AxesParts) {
    this.#parts = parts;
    this.#watch = new AgentWatch(parts.target, parts.clock, async () => undefined);
  }

  now(): Axes {
    const { slot, storage, blocked } = this.#parts;
    return {
      storageFault: storage.fault?.detail ?? null,
      agent: this.#watch.inspection,
      needsReconciliation: blocked(),
      epoch: 0,
      paused: false,
      holder: slot.holder,
      slotFree: slot.free,
      // What waits in the queue of a gateway that is not there waits for the next one.
      queueDepth: 0,
    };
  }

  async current(): Promise<Axes> {
    if (this.#watch.isStale) await this.look();
    return this.now();
  }

  async look(): Promise<Axes> {
    this.#parts.storage.look();
    await this.#watch.look();
    return this.now();
  }
}
