import type { Mirror } from './group-commit.js';
import type { EpochRecord } from './status/epoch-table.js';

/** What the gateway keeps in memory of its own database, so that reading it costs nothing. */
export class GatewayMemory implements Mirror {
  /** Requests accepted or running (gateway §2.2). */
  depth: number;
  epoch: EpochRecord;

  constructor(depth: number, epoch: EpochRecord) {
    this.depth = depth;
    this.epoch = epoch;
  }

  snapshot(): () => void {
    const { depth, epoch } = this;
    return () => {
      this.depth = depth;
      this.epoch = epoch;
    };
  }
}
