import { type Stats, statSync } from 'node:fs';

/** What has become of an open file. */
export type FileState = 'ours' | 'missing' | 'replaced' | 'truncated';

/**
 * Whether the names of an open database still lead to its files. A removed file stays usable for the process that has it
 * open, and all that is written to it is lost when that process ends. The files are only looked at by name: opening and
 * closing them once more would drop SQLite's locks.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #log: string;
  readonly #opened: Stats;
  readonly #openedLog: Stats;
  #size: number;

  /** @param path of a database that was just opened in WAL mode. */
  constructor(path: string) {
    this.#path = path;
    this.#log = `${path}-wal`;
    this.#opened = statSync(path);
    this.#openedLog = statSync(this.#log);
    this.#size = this.#opened.size;
  }

  look(): FileState {
    const status = statusOf(this.#path);
    if (!status) return 'missing';
    if (!areSame(status, this.#opened)) return 'replaced';
    // SQLite never shrinks it.
    if (status.size < this.#size) return 'truncated';
    this.#size = status.size;
    const log = statusOf(this.#log);
    // The write-ahead log holds what is not in the file yet; another log in its place is useless.
    return log && areSame(log, this.#openedLog) ? 'ours' : 'missing';
  }
}

const areSame = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino;

/** Undefined also when the folder is gone or cannot be read. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
