import { Unavailable } from '../foundation/unavailable.js';
import { type StorageCode, type StorageFault, type StoreName, storageFault } from './fault-words.js';

/** Thrown by everything that touches a store while it cannot be used; callers get 503, or 500 where it may be stored all the same. */
export class StoreUnavailable extends Unavailable {
  override readonly name = 'StoreUnavailable';
  readonly fault: StorageFault;
  /** Whether it was written all the same, where the next start may not find it: it must not be written twice. */
  readonly committed: boolean;
  constructor(fault: StorageFault, committed = false) {
    if (committed) super(`${fault.detail} It is not known whether this was stored.`, 500);
    else super(fault.detail);
    this.fault = fault;
    this.committed = committed;
  }
}

/** SQLite's codes for faults of the database as a whole, not of the work that was refused. */
const codes: readonly (readonly [RegExp, StorageCode])[] = [
  [/^SQLITE_FULL/, 'disk_full'],
  [/^SQLITE_READONLY/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'damaged'],
  [/^SQLITE_(IOERR|CANTOPEN|NOMEM)/, 'unwritable'],
];

/** Of a sync of ours, which SQLite knows nothing about. */
export function syncFault(error: unknown, store: StoreName): StorageFault {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, StorageCode>> = {
    ENOSPC: 'disk_full',
    EDQUOT: 'disk_full',
    EROFS: 'read_only',
  };
  return storageFault(known[code] ?? 'unwritable', store, message);
}

const codeOf = (error: unknown): StorageCode | null => {
  const { code = '' } = error as { code?: string };
  return codes.find(([pattern]) => pattern.test(code))?.[1] ?? null;
};

/** @returns null when the error concerns one piece of work, not the whole database. */
export function storageFaultOf(error: unknown, store: StoreName): StorageFault | null {
  if (error instanceof StoreUnavailable) return error.fault;
  const code = codeOf(error);
  return code === null ? null : storageFault(code, store, (error as Error).message);
}

/** Whether a fault concerns the whole database: no single piece of work caused it, and none would succeed alone. */
export const isWholeDatabase = (error: unknown): boolean =>
  error instanceof StoreUnavailable || codeOf(error) !== null;
