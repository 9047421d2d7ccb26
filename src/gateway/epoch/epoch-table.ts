import type { Schema, Statement, Store } from '../../storage/store.js';

/** Which instance of the agent this is, and up to which one the queue is settled (docs/decisions.md#epochs). */
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

export const epochSchema: Schema = {
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
export class EpochTable {
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
