import type { EpochRecord } from './epoch-table.js';

/**
 * The epoch after an instance was observed: another instance than the last known one is a new epoch; an unknown one
 * (the agent is gone) changes nothing (docs/decisions.md#epochs).
 */
export function observeInstance(record: EpochRecord, observed: string | null): EpochRecord {
  if (observed === null || observed === record.lastInstanceId) return record;
  const first = record.lastInstanceId === null;
  return { ...record, epoch: first ? record.epoch : record.epoch + 1, lastInstanceId: observed };
}

/** The first epoch when the queue has no record of its own yet: the one that an earlier gateway published. */
export function firstEpoch(surviving: { epoch: number; instanceId: string | null } | null): EpochRecord {
  const epoch = Math.max(surviving?.epoch ?? 1, 1);
  return { epoch, reconciledEpoch: epoch, lastInstanceId: surviving?.instanceId ?? null };
}

export const needsReconciliation = (record: EpochRecord): boolean => record.epoch > record.reconciledEpoch;
