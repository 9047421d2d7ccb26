import type { Mirror } from './group-commit.js';
import type { ReminderSet } from './reminders/reminder-set.js';
import type { EpochRecord } from './status/epoch-table.js';

/** What the gateway keeps in memory of its own database, so that reading it costs nothing. */
export class GatewayMemory implements Mirror {
  /** Requests accepted or running (gateway §2.2). */
  depth: number;
  epoch: EpochRecord;
  /** Lost with the process, as the seeds say (gateway §4). */
  reminders: ReminderSet = [];

  constructor(depth: number, epoch: EpochRecord) {
    this.depth = depth;
    this.epoch = epoch;
  }

  snapshot(): () => void {
    const { depth, epoch, reminders } = this;
    return () => {
      this.depth = depth;
      this.epoch = epoch;
      this.reminders = reminders;
    };
  }
}
