/** What keeps the queue from being stored. */
export type StorageCode =
  | 'disk_full'
  | 'read_only'
  | 'locked'
  | 'damaged'
  | 'missing'
  | 'replaced'
  | 'unwritable';

/** One such fault: a sentence for callers, the system's words and a remedy for whoever runs the gateway. */
export interface StorageFault {
  readonly code: StorageCode;
  /** Goes into HTTP answers: no path. */
  readonly detail: string;
  /** The path that is concerned, and what is wrong with it. */
  readonly reason: string;
  readonly remedy: string;
  /** What happens when that is done. */
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

function remedyOf(code: StorageCode, path: string): string {
  switch (code) {
    case 'disk_full':
      return 'make room on its disk';
    case 'read_only':
      return 'make it writable again';
    case 'locked':
      return `end what holds it (fuser ${path})`;
    case 'damaged':
      return `stop the gateway, restore the file from a backup or recover it (sqlite3 ${path} .recover)`;
    case 'missing':
      return 'see that its folder is there and writable, what it held is then written back';
    case 'replaced':
      return `move the new file away and the old content is written back, or restart the gateway to go on with the new one, the old content is then kept as ${path}.kept-<time>`;
    case 'unwritable':
      return 'look at its disk';
  }
}

/** @param cause the system's own words, where there are any. */
export const storageFault = (code: StorageCode, path: string, cause?: string): StorageFault => ({
  code,
  detail: `The queue cannot be stored now: ${sentences[code]}.`,
  reason: `${path}: ${sentences[code]}${cause === undefined ? '' : ` (${cause})`}`,
  remedy: remedyOf(code, path),
  afterwards: code === 'damaged' ? 'then start it again' : 'everything then goes on by itself',
});
