import type { Clock } from '../../foundation/clock.js';
import type { AgentTarget, Inspection } from '../../target/agent-target.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';
import type { Journal } from '../journal.js';
import type { StorageWatch } from '../storage/storage-watch.js';
import { deriveStatus, type GatewayIdentity, type GatewayStatus } from './derive-status.js';
import { observeInstance } from './epoch.js';

/** A probe may be this old for status and admission (decision 58). */
const probeAgeMilliseconds = 1000;

const neverLooked: Inspection = {
  connected: false,
  instanceId: null,
  surface: 'unknown',
  acceptsPrompts: false,
  detail: 'The agent was not looked at yet.',
};

/** The status axes, from memory. Probing the agent is the only slow part, shared and cached. */
export class StatusBoard {
  readonly #identity: GatewayIdentity;
  readonly #target: AgentTarget;
  readonly #journal: Journal;
  readonly #slot: ExecutionSlot;
  readonly #clock: Clock;
  readonly #storage: Pick<StorageWatch, 'fault' | 'look'>;
  #inspection: Inspection = neverLooked;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(
    identity: GatewayIdentity,
    target: AgentTarget,
    journal: Journal,
    slot: ExecutionSlot,
    clock: Clock,
    storage: Pick<StorageWatch, 'fault' | 'look'>,
  ) {
    this.#identity = identity;
    this.#target = target;
    this.#journal = journal;
    this.#slot = slot;
    this.#clock = clock;
    this.#storage = storage;
  }

  get identity(): GatewayIdentity {
    return this.#identity;
  }

  /** Why nothing is taken now, in words; null when neither the queue nor the agent is the reason. */
  get unavailableDetail(): string | null {
    if (this.#storage.fault) return this.#storage.fault.detail;
    const { connected, detail } = this.#inspection;
    return connected && detail === null ? null : `The managed agent is unavailable. ${detail ?? ''}`.trim();
  }

  /** What keeps the queue from being stored. */
  get storageFault(): StorageWatch['fault'] {
    return this.#storage.fault;
  }

  /** The axes as they are known now. Costs nothing. */
  snapshot(): GatewayStatus {
    const { memory } = this.#journal;
    return deriveStatus(
      this.#identity,
      this.#inspection,
      memory.epoch,
      this.#slot.holder !== null,
      memory.depth,
      this.#storage.fault === null,
    );
  }

  /** The axes over a probe at most one second old. */
  async current(): Promise<GatewayStatus> {
    if (this.#clock.monotonic() - this.#lookedAt >= probeAgeMilliseconds) await this.look();
    return this.snapshot();
  }

  /** Probes the agent afresh, or joins the probe under way. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    this.#storage.look();
    this.#inspection = await this.#target.inspect();
    this.#lookedAt = this.#clock.monotonic();
    const { instanceId } = this.#inspection;
    if (observeInstance(this.#journal.memory.epoch, instanceId) === this.#journal.memory.epoch) return;
    await this.#journal.write((atUtc) => {
      const before = this.#journal.memory.epoch;
      const after = observeInstance(before, instanceId);
      if (after === before) return;
      this.#journal.memory.epoch = after;
      this.#journal.epochs.write(after);
      const changed = after.epoch !== before.epoch;
      this.#journal.event(atUtc, {
        kind: changed ? 'instance_changed' : 'instance_observed',
        subjectId: instanceId,
        data: {
          managed_agent_instance_epoch: after.epoch,
          managed_agent_instance_id: instanceId,
          at_utc: atUtc,
        },
      });
    });
  }
}
