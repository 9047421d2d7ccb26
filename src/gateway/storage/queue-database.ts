import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { StorageFault } from '../../session/queue-fault.js';
import { type Database, openQueueDatabase, rescuedCopy } from '../database.js';
import { type FileState, QueueFile } from './queue-file.js';
import { QueueUnavailable, storageFaultOf } from './storage-fault.js';

type Run = (...parameters: unknown[]) => unknown;
interface Prepared {
  source: string;
  statement: Statement;
}

/**
 * `queue.sqlite` as its tables use it. A fault of the whole database comes out as {@link QueueUnavailable}, and the
 * connection can be exchanged for one to a file written anew, without the tables noticing.
 */
export class QueueDatabase {
  /** What tables prepare their statements with: `prepare` and `transaction`, nothing else. */
  readonly database: Database;
  readonly #path: string;
  readonly #met: (fault: StorageFault) => void;
  readonly #prepared: Prepared[] = [];
  #connection: Database;
  #file: QueueFile;

  /**
   * @param met told of every fault but a lock, which may be gone in a moment.
   * @throws {UnusableFile}
   */
  constructor(path: string, met: (fault: StorageFault) => void) {
    this.#path = path;
    this.#met = met;
    this.#connection = openQueueDatabase(path);
    this.#file = new QueueFile(path);
    const transaction = (work: () => unknown) => ({
      immediate: () => this.#guarded(() => this.#connection.transaction(work).immediate()),
      deferred: () => this.#guarded(() => this.#connection.transaction(work).deferred()),
    });
    this.database = {
      prepare: (source: string) => this.#prepare(source),
      transaction,
    } as unknown as Database;
  }

  /** Whether what is committed is where the next start looks for it. */
  look(): FileState {
    return this.#file.look();
  }

  /**
   * Writes everything that the open files hold to the path again, and goes on with that.
   * @throws the system's error; another try goes on where this one ended.
   */
  writeBack(): void {
    if (this.#connection.open) {
      this.copyTo(rescuedCopy(this.#path));
      // Takes its log and shared memory away by name, so it comes before the new ones.
      this.#connection.close();
      for (const suffix of ['-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
      renameSync(rescuedCopy(this.#path), this.#path);
      syncPath(dirname(this.#path));
    }
    this.#connection = openQueueDatabase(this.#path);
    this.#file = new QueueFile(this.#path);
    for (const prepared of this.#prepared) prepared.statement = this.#connection.prepare(prepared.source);
  }

  /** Writes everything that the open files hold to another one. */
  copyTo(copy: string): void {
    const unfinished = `${copy}.tmp`;
    rmSync(unfinished, { force: true });
    this.#connection.exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
    chmodSync(unfinished, 0o600);
    syncPath(unfinished);
    renameSync(unfinished, copy);
  }

  close(): void {
    this.#connection.close();
  }

  #prepare(source: string): Statement {
    const prepared: Prepared = { source, statement: this.#connection.prepare(source) };
    this.#prepared.push(prepared);
    const bound =
      (name: 'get' | 'all' | 'run'): Run =>
      (...parameters) =>
        this.#guarded(() => (prepared.statement[name] as Run)(...parameters));
    return { get: bound('get'), all: bound('all'), run: bound('run') } as unknown as Statement;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const fault = storageFaultOf(error, this.#path);
      if (!fault) throw error;
      if (fault.code !== 'locked') this.#met(fault);
      throw error instanceof QueueUnavailable ? error : new QueueUnavailable(fault);
    }
  }
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
