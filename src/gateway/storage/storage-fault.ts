import { Unavailable } from '../../contract/unavailable.js';
import { type StorageCode, type StorageFault, storageFault } from '../../session/queue-fault.js';

/** Thrown by everything that touches the queue while it cannot be used; callers get 503. */
export class QueueUnavailable extends Unavailable {
  override readonly name = 'QueueUnavailable';
  readonly fault: StorageFault;
  /** Whether it was written all the same, into files that the next start may not find: nobody may write it twice. */
  readonly committed: boolean;
  constructor(fault: StorageFault, committed = false) {
    super(fault.detail);
    this.fault = fault;
    this.committed = committed;
  }
}

/** Codes of SQLite that are no fault of the piece of work it refused. */
const codes: readonly (readonly [RegExp, StorageCode])[] = [
  [/^SQLITE_FULL/, 'disk_full'],
  [/^SQLITE_READONLY/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'damaged'],
  [/^SQLITE_(IOERR|CANTOPEN|NOMEM)/, 'unwritable'],
];

/** @returns null when the error speaks of one piece of work, not of the whole database. */
export function storageFaultOf(error: unknown, path: string): StorageFault | null {
  if (error instanceof QueueUnavailable) return error.fault;
  const { code = '', message } = error as { code?: string; message?: string };
  const known = codes.find(([pattern]) => pattern.test(code));
  return known ? storageFault(known[1], path, message) : null;
}

/** Whether a fault is one of the whole database: no piece of work is to blame, and none would fare better alone. */
export const isWholeDatabase = (error: unknown): boolean => storageFaultOf(error, '') !== null;
