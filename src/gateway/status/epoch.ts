import type { EpochRecord } from './epoch-table.js';

/**
 * The epoch after an instance was observed: another instance than the last known one is a new epoch; an unknown one
 * (the agent is gone) changes nothing (gateway §2.6, decision 9).
 */
export function observeInstance(record: EpochRecord, observed: string | null): EpochRecord {
  if (observed === null || observed === record.lastInstanceId) return record;
  const first = record.lastInstanceId === null;
  return { ...record, epoch: first ? record.epoch : record.epoch + 1, lastInstanceId: observed };
}

/** Where counting starts when the queue has no record of its own yet: at what an earlier gateway published. */
export function firstEpoch(surviving: { epoch: number; instanceId: string | null } | null): EpochRecord {
  const epoch = Math.max(surviving?.epoch ?? 1, 1);
  return { epoch, reconciledEpoch: epoch, lastInstanceId: surviving?.instanceId ?? null };
}

export const needsReconciliation = (record: EpochRecord): boolean => record.epoch > record.reconciledEpoch;
