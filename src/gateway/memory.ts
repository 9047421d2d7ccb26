import type { Mirror } from './group-commit.js';
import type { ReminderSet } from './reminders/reminder-set.js';
import type { EpochRecord } from './status/epoch-table.js';

/** What the gateway keeps in memory of its own database, so that reading it costs nothing. */
export class GatewayMemory implements Mirror {
  /** Requests accepted or running (gateway §2.2). */
  depth: number;
  epoch: EpochRecord;
  /** Whether the queue starts nothing. */
  paused: boolean;
  /** Lost with the process, as the seeds say (gateway §4). */
  reminders: ReminderSet = [];

  constructor(depth: number, epoch: EpochRecord, paused = false) {
    this.depth = depth;
    this.epoch = epoch;
    this.paused = paused;
  }

  snapshot(): () => void {
    const { depth, epoch, paused, reminders } = this;
    return () => {
      this.depth = depth;
      this.epoch = epoch;
      this.paused = paused;
      this.reminders = reminders;
    };
  }
}
