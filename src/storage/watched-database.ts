import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { openStore, rescuedCopy } from './open-store.js';
import {
  type StorageFault,
  type StoreName,
  StoreUnavailable,
  storageFault,
  storageFaultOf,
  syncFault,
} from './storage-fault.js';
import type { Statement, Store, TableSchema } from './store.js';
import { WriteAheadLog } from './write-ahead-log.js';

/** A transaction function, made once: better-sqlite3 makes four functions for each one, which cost more than the transaction. */
type Transaction = Database.Transaction<(work: () => unknown) => unknown>;

interface Prepared {
  source: string;
  statement: Database.Statement<unknown[]>;
}

/**
 * A database as its tables use it. A fault of the whole database is thrown as {@link StoreUnavailable}, and the connection can
 * be exchanged for one to a rewritten file without the tables noticing.
 */
export class WatchedDatabase implements Store {
  readonly name: StoreName;
  readonly #schemas: readonly TableSchema[];
  readonly #met: (fault: StorageFault) => void;
  readonly #prepared: Prepared[] = [];
  #connection: Database.Database;
  #transaction: Transaction;
  #file: DatabaseFile;
  #log: WriteAheadLog;
  #unsynced: StorageFault | null = null;

  /**
   * @param met called with every fault except a lock, which may be released in a moment.
   * @throws {UnusableFile} when the database cannot be used.
   */
  constructor(name: StoreName, schemas: readonly TableSchema[], met: (fault: StorageFault) => void) {
    this.name = name;
    this.#schemas = schemas;
    this.#met = met;
    this.#connection = openStore(name, schemas);
    this.#transaction = this.#connection.transaction((work) => work());
    this.#file = new DatabaseFile(name.path);
    this.#log = new WriteAheadLog(this.#connection, name.path);
  }

  prepare<Parameters extends unknown[] = [], Row = unknown>(source: string): Statement<Parameters, Row> {
    const prepared: Prepared = { source, statement: this.#connection.prepare(source) };
    this.#prepared.push(prepared);
    const guarded = <T>(work: (statement: Prepared['statement']) => T): T => {
      try {
        return work(prepared.statement);
      } catch (error) {
        throw this.#translated(error);
      }
    };
    return {
      get: (...parameters) => guarded((statement) => statement.get(...parameters) as Row | undefined),
      all: (...parameters) => guarded((statement) => statement.all(...parameters) as Row[]),
      run: (...parameters) => guarded((statement) => statement.run(...parameters)),
    };
  }

  transact<T>(work: () => T): T {
    if (this.#unsynced) throw new StoreUnavailable(this.#unsynced);
    try {
      return this.#transaction.immediate(work) as T;
    } catch (error) {
      throw this.#translated(error);
    }
  }

  readAtOnce<T>(work: () => T): T {
    try {
      return this.#transaction.deferred(work) as T;
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /**
   * The fault that was set when the disk refused a sync: commits since the last sync may be lost in a power failure. Another
   * sync would prove nothing; only {@link writeBack} clears the fault, and until then nothing more is written.
   */
  get unsynced(): StorageFault | null {
    return this.#unsynced;
  }

  async sync(): Promise<boolean> {
    const log = this.#log;
    try {
      await log.sync();
    } catch (error) {
      this.#refused(log, error);
    }
    // Content that was written back meanwhile is on disk, whatever happened to the log.
    return this.#unsynced === null;
  }

  tidy(): Promise<void> | null {
    return this.#unsynced === null && this.#connection.open && this.#log.isTooLong ? this.#tidy() : null;
  }

  /** Checks whether the committed content is where the next start looks for it. */
  look(): FileState {
    return this.#file.look();
  }

  /**
   * Writes everything that the open files hold to the path again, and continues with the new file.
   * @throws the system's error; the next attempt continues where this one ended.
   */
  writeBack(): void {
    const { path } = this.name;
    if (this.#connection.open) {
      this.copyTo(rescuedCopy(path));
      // From here on no connection may be open for a while; work that arrives meanwhile is refused with this reason.
      this.#unsynced ??= storageFault('missing', this.name);
      // Closing removes the log and the shared memory by name, so it comes before the new ones are made.
      this.close();
    }
    // An earlier attempt may have closed the connection and then failed: in that case only the copy is complete.
    if (existsSync(rescuedCopy(path))) {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(rescuedCopy(path), path);
      syncPath(dirname(path));
    }
    this.#connection = openStore(this.name, this.#schemas);
    this.#transaction = this.#connection.transaction((work) => work());
    this.#file = new DatabaseFile(path);
    this.#log = new WriteAheadLog(this.#connection, path);
    this.#unsynced = null;
    for (const prepared of this.#prepared) prepared.statement = this.#connection.prepare(prepared.source);
  }

  /** Writes everything that the open files hold to another file. */
  copyTo(copy: string): void {
    const unfinished = `${copy}.tmp`;
    rmSync(unfinished, { force: true });
    // Creates an empty file with this mode, so that no other user can read it while it is written.
    closeSync(openSync(unfinished, 'wx', 0o600));
    this.#connection.exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
    syncPath(unfinished);
    renameSync(unfinished, copy);
  }

  /** Closes the connection; SQLite then copies the log into the database and syncs. */
  close(): void {
    this.#connection.close();
    this.#log.close();
  }

  async #tidy(): Promise<void> {
    const log = this.#log;
    try {
      await log.empty();
    } catch (error) {
      const fault = storageFaultOf(error, this.name);
      // A refusal of the library changes nothing: the log is as it was before.
      if (fault) log.postpone();
      if (fault) this.#met(fault);
      else this.#refused(log, error);
    }
  }

  #refused(log: WriteAheadLog, error: unknown): void {
    if (log !== this.#log) return;
    this.#unsynced = syncFault(error, this.name);
    this.#met(this.#unsynced);
  }

  #translated(error: unknown): unknown {
    // Between two attempts of writeBack no connection is open; the library's error for that has no code.
    if (!this.#connection.open && this.#unsynced) return new StoreUnavailable(this.#unsynced);
    const fault = storageFaultOf(error, this.name);
    if (!fault) return error;
    if (fault.code !== 'locked') this.#met(fault);
    return error instanceof StoreUnavailable ? error : new StoreUnavailable(fault);
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

/** The state of an open file, compared with the file at its path. */
type FileState = 'ours' | 'missing' | 'replaced' | 'truncated';

/**
 * Checks whether the paths of an open database still lead to its files. A removed file stays usable for the process that has it
 * open, and everything written to it is lost when that process ends. The files are only checked by name: opening and closing
 * them once more would drop SQLite's locks.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #log: string;
  readonly #opened: Stats;
  readonly #openedLog: Stats;
  #size: number;

  /** @param path the path of a database that was just opened in WAL mode. */
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
    // SQLite never shrinks the file.
    if (status.size < this.#size) return 'truncated';
    this.#size = status.size;
    const log = statusOf(this.#log);
    // The write-ahead log holds the changes that are not in the file yet; another log in its place is useless.
    return log && areSame(log, this.#openedLog) ? 'ours' : 'missing';
  }
}

const areSame = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino;

/** Returns undefined also when the folder is gone or cannot be read. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
