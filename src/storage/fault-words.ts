/** What keeps a store from being written. */
export type StorageCode =
  | 'disk_full'
  | 'read_only'
  | 'locked'
  | 'damaged'
  | 'missing'
  | 'replaced'
  | 'unwritable';

/** A store, named for people. */
export interface StoreName {
  path: string;
  /** What it holds, such as `queue`. */
  thing: string;
  /** Which program owns it, such as `gateway`. */
  program: string;
}

/** One such fault: a sentence for callers, the system's words and a remedy for the operator. */
export interface StorageFault {
  readonly code: StorageCode;
  /** Goes into HTTP answers, so it names no path. */
  readonly detail: string;
  /** The path, and what is wrong with it. */
  readonly reason: string;
  readonly remedy: string;
  /** What happens once the remedy is applied. */
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
 * @param store the store; its `path` may be that of its folder.
 * @param cause the system's own words, if there are any.
 */
export const storageFault = (code: StorageCode, store: StoreName, cause?: string): StorageFault => ({
  code,
  detail: `The ${store.thing} cannot be stored now: ${sentences[code]}.`,
  reason: `${store.path}: ${sentences[code]}${cause === undefined ? '' : ` (${cause})`}`,
  remedy: remedyOf(code, store),
  afterwards: code === 'damaged' ? 'then start it again' : 'work then continues by itself',
});
