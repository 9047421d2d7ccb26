import type { Database, Statement } from 'better-sqlite3';

/** Which incarnation of the agent this is, and up to which one the queue is settled (decision 9). */
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

/** The singleton `epoch` table. It survives clean shutdowns, so a replaced instance is noticed at the next start. */
export class EpochTable {
  readonly #get: Statement<[], Row>;
  readonly #put: Statement<[number, number, string | null]>;

  constructor(database: Database) {
    this.#get = database.prepare(
      'SELECT epoch, reconciled_epoch, last_instance_id FROM epoch WHERE singleton = 1',
    );
    this.#put = database.prepare(
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
