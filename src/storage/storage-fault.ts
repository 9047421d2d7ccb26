import { Unavailable } from '../foundation/faults.js';

/** The reason why a store cannot be written. */
type StorageCode = 'disk_full' | 'read_only' | 'locked' | 'damaged' | 'missing' | 'replaced' | 'unwritable';

/** A store, as it is named to people. */
export interface StoreName {
  path: string;
  /** The content of the store, such as `queue`. */
  thing: string;
  /** The program that owns it, such as `gateway`. */
  program: string;
}

/** A fault of a store: a sentence for callers, the system's own words, and a remedy for the operator. */
export interface StorageFault {
  readonly code: StorageCode;
  /** Names no path, because it goes into HTTP answers. */
  readonly detail: string;
  /** The fault without the path, with the system's own words. */
  readonly wrong: string;
  /** The path, and what is wrong with it. */
  readonly reason: string;
  readonly remedy: string;
  /** The effect of the remedy: what happens after it is applied. */
  readonly afterwards: string;
}

const sentences: Readonly<Record<StorageCode, string>> = {
  disk_full: 'its disk is full',
  read_only: 'its file system is read-only',
  locked: 'another program holds it locked',
  damaged: 'it is damaged',
  missing: 'its file was removed',
  replaced: 'its file was replaced by another one',
  unwritable: 'the system refuses it',
};

/** Returns whether a word is one of this release: a gateway may be of a later one. */
export const isStorageCode = (code: string): code is StorageCode => Object.hasOwn(sentences, code);

function remedyOf(code: StorageCode, { path, program }: StoreName): string {
  switch (code) {
    case 'disk_full':
      return 'make room on its disk';
    case 'read_only':
      return 'make it writable again';
    case 'locked':
      return `end what holds it (fuser ${path})`;
    case 'damaged':
      return `stop the ${program}, restore the file from a backup or recover it (sqlite3 ${path} .recover)`;
    case 'missing':
      return 'see that its folder is there and writable, what it held is then written back';
    case 'replaced':
      return `move the new file away and the old content is written back, or restart the ${program} to go on with the new one, the old content is then kept as ${path}.kept-<time>`;
    case 'unwritable':
      return 'look at its disk';
  }
}

/**
 * Builds the fault with this code.
 * @param store the store; its `path` may be that of its folder.
 * @param cause the system's own words, if there are any.
 */
export function storageFault(code: StorageCode, store: StoreName, cause?: string): StorageFault {
  const wrong = `${sentences[code]}${cause === undefined ? '' : ` (${cause})`}`;
  return {
    code,
    detail: `The ${store.thing} cannot be stored now: ${sentences[code]}.`,
    wrong,
    reason: `${store.path}: ${wrong}`,
    remedy: remedyOf(code, store),
    afterwards: code === 'damaged' ? 'then start it again' : 'work then continues by itself',
  };
}

/**
 * Thrown by everything that touches a store while it cannot be used. Callers get 503, or 500 when the data may have been stored
 * anyway.
 */
export class StoreUnavailable extends Unavailable {
  override readonly name = 'StoreUnavailable';
  readonly fault: StorageFault;
  /** Whether the data was written, but perhaps where the next start does not find it: it must not be written twice. */
  readonly committed: boolean;
  constructor(fault: StorageFault, committed = false) {
    if (committed) super(`${fault.detail} It is not known whether this was stored.`, 500);
    else super(fault.detail);
    this.fault = fault;
    this.committed = committed;
  }
}

/** SQLite's error codes for faults of the whole database, as opposed to errors of one piece of work. */
const codes: readonly (readonly [RegExp, StorageCode])[] = [
  [/^SQLITE_FULL/, 'disk_full'],
  [/^SQLITE_READONLY/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'damaged'],
  [/^SQLITE_(IOERR|CANTOPEN|NOMEM)/, 'unwritable'],
];

/** Returns the fault of a sync that this program made itself, which SQLite knows nothing about. */
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

/**
 * Returns the storage fault behind an error.
 * @returns null when the error concerns one piece of work, not the whole database.
 */
export function storageFaultOf(error: unknown, store: StoreName): StorageFault | null {
  if (error instanceof StoreUnavailable) return error.fault;
  const code = codeOf(error);
  return code === null ? null : storageFault(code, store, (error as Error).message);
}

/** Decides whether a fault concerns the whole database: no single piece of work caused it, and none would succeed alone. */
export const isWholeDatabase = (error: unknown): boolean =>
  error instanceof StoreUnavailable || codeOf(error) !== null;

/** Calls `handle` with an error, unless it is a fault of the whole database, which StorageWatch has reported. */
export function unlessStorage(error: unknown, handle: (error: Error) => void): void {
  if (!isWholeDatabase(error)) handle(error as Error);
}

/**
 * Reports that a loop hit an internal error and continues. A fault of the whole database is left out: StorageWatch has reported
 * it.
 */
export const reportAndGoOn =
  (who: string, report: (fault: string) => void) =>
  (error: unknown): void =>
    unlessStorage(error, ({ message }) => report(`${who} hit an internal error and goes on: ${message}`));
