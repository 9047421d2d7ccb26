import { AgentWatch } from '../../agent/agent-watch.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import type { Axes, AxesSource } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { StorageWatch } from '../../storage/storage-watch.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';
import type { Epochs } from '../epoch/epochs.js';
import { deriveStatus, type GatewayIdentity, type GatewayStatus } from './derive-status.js';

export interface StatusParts {
  identity: GatewayIdentity;
  target: Pick<AgentTarget, 'inspect'>;
  queue: Pick<RequestJournal, 'depth' | 'paused'>;
  epochs: Epochs;
  slot: ExecutionSlot;
  clock: Clock;
  storage: Pick<StorageWatch, 'fault' | 'look'>;
}

/** The axes of one gateway, gathered from their owners without I/O. */
export class StatusBoard implements AxesSource {
  readonly #parts: StatusParts;
  readonly #watch: AgentWatch;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#watch = new AgentWatch(parts.target, parts.clock, ({ instanceId }) =>
      parts.epochs.observe(instanceId),
    );
  }

  get identity(): GatewayIdentity {
    return this.#parts.identity;
  }

  now(): Axes {
    const { queue, epochs, slot, storage } = this.#parts;
    return {
      storageFault: storage.fault?.detail ?? null,
      agent: this.#watch.inspection,
      needsReconciliation: epochs.needsReconciliation,
      epoch: epochs.current,
      paused: queue.paused,
      holder: slot.holder,
      slotFree: slot.free,
      queueDepth: queue.depth,
    };
  }

  async current(): Promise<Axes> {
    if (this.#watch.isStale) await this.#look();
    return this.now();
  }

  async look(): Promise<Axes> {
    await this.#look();
    return this.now();
  }

  /** The axes as the contract shows them, as they are known now. */
  status(): GatewayStatus {
    return deriveStatus(this.identity, this.now(), this.#parts.epochs.record);
  }

  /** The same, after a look at the agent that is at most one second old. */
  async currentStatus(): Promise<GatewayStatus> {
    if (this.#watch.isStale) await this.#look();
    return this.status();
  }

  async #look(): Promise<void> {
    this.#parts.storage.look();
    await this.#watch.look();
  }
}
