import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { Store } from '../../storage/store.js';
import { needsReconciliation, observeInstance } from './epoch.js';
import { type EpochRecord, EpochTable } from './epoch-table.js';

/** Which instance of the agent the queue serves, in memory and on disk (docs/decisions.md#epochs). */
export class Epochs implements Mirror {
  readonly #table: EpochTable;
  readonly #journal: Journal;
  #record: EpochRecord;

  /** @param first where counting starts when the queue has no record of its own yet. */
  constructor(store: Store, journal: Journal, first: () => EpochRecord) {
    this.#table = new EpochTable(store);
    this.#journal = journal;
    this.#record = this.#table.read() ?? first();
    journal.keep(this);
  }

  get record(): EpochRecord {
    return this.#record;
  }

  /** The present epoch. */
  get current(): number {
    return this.#record.epoch;
  }

  get needsReconciliation(): boolean {
    return needsReconciliation(this.#record);
  }

  snapshot(): () => void {
    const record = this.#record;
    return () => {
      this.#record = record;
    };
  }

  /** Records which instance of the agent was seen; null when that is unknown. */
  async observe(instanceId: string | null): Promise<void> {
    if (observeInstance(this.#record, instanceId) === this.#record) return;
    await this.#journal.write((atUtc) => {
      const before = this.#record;
      const after = observeInstance(before, instanceId);
      if (after === before) return;
      this.#set(after);
      this.#journal.event(atUtc, {
        kind: after.epoch === before.epoch ? 'instance_observed' : 'instance_changed',
        subjectId: instanceId,
        data: {
          managed_agent_instance_epoch: after.epoch,
          managed_agent_instance_id: instanceId,
          at_utc: atUtc,
        },
      });
    });
  }

  /** Work of earlier epochs is settled. Only inside `Journal.write`. */
  settle(): void {
    this.#set({ ...this.#record, reconciledEpoch: this.#record.epoch });
  }

  #set(record: EpochRecord): void {
    this.#record = record;
    this.#table.write(record);
  }
}
