import { accessSync, type BigIntStats, closeSync, constants, lstatSync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Clock } from '../../../foundation/clock.js';
import { UnusableFile } from '../../../foundation/faults.js';
import { openDatabase } from '../../../foundation/open-database.js';
import type { Statement } from '../../../storage/store.js';
import { MailFault } from '../../message/mail-fault.js';

/** The longest wait for a lock: better-sqlite3 blocks the event loop meanwhile. The caller tries again ({@link whenFree}). */
const lockMilliseconds = 20;

/**
 * A SQLite file that other programs also read and write. The code of `src/storage` opens files that only our programs use:
 * it keeps a write-ahead log and makes sure that no other process replaces the file. Here the journal must stay `DELETE`,
 * because the bootstrap and the writes of the older implementation fail with a write-ahead log; and a repair replaces the
 * file, so the connection follows the file at the path. Every statement is read to its end at once: an open one keeps
 * other processes from committing.
 */
export class SharedDatabase {
  readonly path: string;
  readonly #tables: string;
  readonly #statements = new Map<string, Database.Statement<unknown[]>>();
  #connection: Database.Database | null = null;
  #opened: BigIntStats | null = null;
  #hasTables = false;
  /** SQLite opens a file that cannot be written for reading only, and stays with that. */
  #readsOnly = false;
  #inTransaction = false;
  #commits = 0;

  /** @param tables DDL that may run again on a file that has the tables. */
  constructor(path: string, tables: string) {
    this.path = path;
    this.#tables = tables;
  }

  /** Makes the file where it is missing. @throws {UnusableFile} */
  create(): void {
    if (sightOf(this.path) === undefined) makeFile(this.path);
    this.require();
  }

  /**
   * Opens the file, and makes its tables where they are missing.
   * @throws {UnusableFile} where the file is missing or is another program's.
   */
  require(): void {
    this.#haveTables(this.#current());
  }

  /** Reads from the file in its present state, whatever it contains: nothing is written to it. @throws {UnusableFile} */
  readOnly<Row>(source: string): Row[] {
    return this.#translating(() => this.#known(this.#current(), source).all() as Row[]);
  }

  prepare<Parameters extends unknown[] = [], Row = unknown>(source: string): Statement<Parameters, Row> {
    return {
      get: (...parameters) => this.#statement(source).get(...parameters) as Row | undefined,
      all: (...parameters) => this.#statement(source).all(...parameters) as Row[],
      run: (...parameters) => this.#statement(source).run(...parameters),
    };
  }

  /** Runs `work` in one immediate transaction. @throws the error of `work`; nothing is changed then. */
  transact<T>(work: () => T): T {
    const result = this.#within('BEGIN IMMEDIATE', work);
    this.#commits += 1;
    return result;
  }

  /** Runs work that only reads, on one consistent state. */
  readAtOnce<T>(work: () => T): T {
    return this.#within('BEGIN', work);
  }

  /** Returns a text that differs after every change of the file, by any program, without reading any of its rows. */
  version(): string {
    const [row] = this.readOnly<{ data_version: number }>('PRAGMA data_version');
    return `${this.#opened?.ino}:${row?.data_version}:${this.#commits}`;
  }

  /** Decides whether SQLite finds no damage in the file. */
  isSound(): boolean {
    const found = this.readOnly<{ quick_check: string }>('PRAGMA quick_check(1)');
    return found.length === 1 && found[0]?.quick_check === 'ok';
  }

  close(): void {
    this.#hasTables = false;
    this.#statements.clear();
    this.#connection?.close();
    this.#connection = null;
  }

  #within<T>(begin: string, work: () => T): T {
    const connection = this.#current();
    this.#haveTables(connection);
    connection.exec(begin);
    this.#inTransaction = true;
    try {
      const result = work();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  #statement(source: string): Database.Statement<unknown[]> {
    const connection = this.#current();
    this.#haveTables(connection);
    return this.#known(connection, source);
  }

  #known(connection: Database.Database, source: string): Database.Statement<unknown[]> {
    const known = this.#statements.get(source);
    if (known) return known;
    const statement = connection.prepare<unknown[]>(source);
    this.#statements.set(source, statement);
    return statement;
  }

  #current(): Database.Database {
    if (this.#connection && (this.#inTransaction || this.#isUpToDate())) return this.#connection;
    return this.#open();
  }

  #isUpToDate(): boolean {
    if (this.#readsOnly && isWritable(this.path)) return false;
    return isSame(sightOf(this.path), this.#opened);
  }

  /** The file at the path is compared before and after: a repair may replace it in between. */
  #open(): Database.Database {
    for (;;) {
      this.close();
      const found = sightOf(this.path);
      if (!found) throw new UnusableFile(this.path, 'is missing', 'repair the mailbox');
      if (!found.isFile())
        throw new UnusableFile(this.path, 'is not a regular file', 'move it aside and repair the mailbox');
      const connection = this.#connect(found);
      if (!connection) continue;
      this.#opened = found;
      this.#readsOnly = !isWritable(this.path);
      this.#connection = connection;
      return connection;
    }
  }

  /** Returns null where another file is at the path by now. */
  #connect(found: BigIntStats): Database.Database | null {
    const isThere = (): boolean => isSame(sightOf(this.path), found);
    try {
      const connection = connect(this.path);
      if (isThere()) return connection;
      connection.close();
      return null;
    } catch (error) {
      if (!isThere()) return null;
      throw this.#translated(error);
    }
  }

  /** Makes the tables before their first use; the database of another program gets none. */
  #haveTables(connection: Database.Database): void {
    if (this.#hasTables) return;
    this.#translating(() => {
      const found = connection
        .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all();
      const own = [...this.#tables.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name);
      if (found.length > 0 && !found.some(({ name }) => own.includes(name)))
        throw new UnusableFile(
          this.path,
          'is a database of something else',
          'move it aside and repair the mailbox',
        );
      const mode = connection.prepare<[], { journal_mode: string }>('PRAGMA journal_mode = DELETE').get();
      if (mode?.journal_mode !== 'delete')
        throw new MailFault('locked', `${this.path}: has a write-ahead log that another program uses`);
      connection.exec(this.#tables);
    });
    this.#hasTables = true;
  }

  #translating<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#translated(error);
    }
  }

  #translated(error: unknown): unknown {
    const { code = '', message } = error as { code?: string; message: string };
    return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_ERROR'
      ? new UnusableFile(this.path, message, 'move it aside and repair the mailbox')
      : error;
  }
}

/** Inodes are read as bigints: their numbers may be larger than a double can represent. */
const sightOf = (path: string): BigIntStats | undefined =>
  lstatSync(path, { throwIfNoEntry: false, bigint: true });

const isSame = (one: BigIntStats | undefined, other: BigIntStats | null): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev;

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the file as SQLite does, but with the access rights that the umask leaves: a group may share a root. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function connect(path: string): Database.Database {
  const connection = openDatabase(path, { timeout: lockMilliseconds, fileMustExist: true });
  try {
    connection.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000');
    // This reads the file for the first time, so that a file that is no database is reported here.
    connection.prepare('PRAGMA schema_version').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The pause between two tries at a database that another process holds. */
const pauseMilliseconds = 10;

/** Decides whether an error says that another process holds the database. */
export const isBusy = (error: unknown): boolean =>
  ((error as { code?: string }).code ?? '').startsWith('SQLITE_BUSY');

/**
 * Tries work on a database again while another process holds the database, without blocking the event loop.
 * @throws {MailFault} `locked` after five seconds, and any other error of the work.
 */
export async function whenFree<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const patience = new RetryLimit(clock);
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (patience.isReached())
        throw new MailFault('locked', `${path}: another process has held the database for too long`, {
          cause: error,
        });
    }
    await clock.sleep(pauseMilliseconds);
  }
}

/** The older implementation waits as long. */
export const patienceMilliseconds = 5000;
/** A process that was stopped, or hardly ran, during that time has not really waited. */
const fewestTries = 100;

/** Limits how long a caller tries again to get something that another process holds. */
export class RetryLimit {
  readonly #clock: Clock;
  readonly #until: number;
  #tries = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#until = clock.monotonic() + patienceMilliseconds;
  }

  /** Decides whether the patience is used up. Call it after each try that failed. */
  isReached(): boolean {
    this.#tries += 1;
    return this.#tries >= fewestTries && this.#clock.monotonic() >= this.#until;
  }
}
