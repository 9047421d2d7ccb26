import type { Journal } from '../../events/journal.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';

/** The number of the agent's instance, and the number up to which the queue is settled (docs/decisions.md#epochs). */
export interface EpochRecord {
  epoch: number;
  reconciledEpoch: number;
  lastInstanceId: string | null;
}
interface Row {
  epoch: number;
  reconciled_epoch: number;
  last_instance_id: string | null;
}

export const epochSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS epoch (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  epoch INTEGER NOT NULL,
  reconciled_epoch INTEGER NOT NULL,
  last_instance_id TEXT
);
`,
};

/** The singleton `epoch` table. It survives clean shutdowns, so a replaced instance is noticed at the next start. */
class EpochTable {
  readonly #get: Statement<[], Row>;
  readonly #put: Statement<[number, number, string | null]>;

  constructor(store: Store) {
    this.#get = store.prepare(
      'SELECT epoch, reconciled_epoch, last_instance_id FROM epoch WHERE singleton = 1',
    );
    this.#put = store.prepare(
      `INSERT INTO epoch (singleton, epoch, reconciled_epoch, last_instance_id) VALUES (1, ?, ?, ?)
       ON CONFLICT (singleton) DO UPDATE SET epoch = excluded.epoch, reconciled_epoch = excluded.reconciled_epoch,
         last_instance_id = excluded.last_instance_id`,
    );
  }

  read(): EpochRecord | null {
    const row = this.#get.get();
    return row
      ? { epoch: row.epoch, reconciledEpoch: row.reconciled_epoch, lastInstanceId: row.last_instance_id }
      : null;
  }
  write(record: EpochRecord): void {
    this.#put.run(record.epoch, record.reconciledEpoch, record.lastInstanceId);
  }
}

/** The instance of the agent that the queue serves, in memory and on disk (docs/decisions.md#epochs). */
export class Epochs implements Mirror {
  readonly #table: EpochTable;
  readonly #journal: Journal;
  #record: EpochRecord;

  /** @param first returns the record to start with when the queue has none of its own yet. */
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

  /** Marks the work of earlier epochs as settled. Only inside `Journal.write`. */
  settle(): void {
    this.#set({ ...this.#record, reconciledEpoch: this.#record.epoch });
  }

  #set(record: EpochRecord): void {
    this.#record = record;
    this.#table.write(record);
  }
}

/**
 * Returns the record after an instance was observed: another instance than the last known one is a new epoch; an unknown
 * one (the agent is gone) changes nothing (docs/decisions.md#epochs).
 */
export function observeInstance(record: EpochRecord, observed: string | null): EpochRecord {
  if (observed === null || observed === record.lastInstanceId) return record;
  const first = record.lastInstanceId === null;
  return { ...record, epoch: first ? record.epoch : record.epoch + 1, lastInstanceId: observed };
}

/** Returns the first epoch of a queue that has no record of its own yet: the surviving one, or 1. */
export function firstEpoch(surviving: { epoch: number; instanceId: string | null } | null): EpochRecord {
  const epoch = Math.max(surviving?.epoch ?? 1, 1);
  return { epoch, reconciledEpoch: epoch, lastInstanceId: surviving?.instanceId ?? null };
}

export const needsReconciliation = (record: EpochRecord): boolean => record.epoch > record.reconciledEpoch;

/** Reads the first epoch of a queue that has no record of its own yet: the one that an earlier gateway published. */
export function publishedEpoch(paths: SessionPaths): EpochRecord {
  const published = currentInstanceFile.readIfUsable(paths.currentInstance);
  return firstEpoch(
    published && {
      epoch: published.managed_agent_instance_epoch,
      instanceId: published.managed_agent_instance_id,
    },
  );
}
