import { accessSync, type BigIntStats, closeSync, constants, lstatSync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { UnusableFile } from '../../../foundation/faults.js';
import { openDatabase } from '../../../foundation/open-database.js';
import type { Statement } from '../../../storage/store.js';
import { MailFault } from '../../message/mail-fault.js';

/** better-sqlite3 blocks the event loop while it waits for a lock: 20 ms at most. The caller asks again (when-free.ts). */
const lockMilliseconds = 20;

/**
 * A SQLite file that other programs read and write, too. The storage room opens files that are ours alone: it keeps a
 * write-ahead log and makes sure that nobody else replaces the file. Here the journal must stay `DELETE`, for with a
 * write-ahead log the bootstrap and the writes of the older implementation fail; and a repair replaces the file, so the
 * connection follows whatever stands at the path. Every statement is read to its end at once: one that is left open keeps
 * others from committing.
 */
export class SharedDatabase {
  readonly path: string;
  readonly #tables: string;
  readonly #statements = new Map<string, Database.Statement<unknown[]>>();
  #connection: Database.Database | null = null;
  #opened: BigIntStats | null = null;
  #hasTables = false;
  /** SQLite opens a file that cannot be written for reading alone, and stays with that. */
  #readsOnly = false;
  #inTransaction = false;
  #commits = 0;

  /** @param tables DDL that may run again on a file that has them. */
  constructor(path: string, tables: string) {
    this.path = path;
    this.#tables = tables;
  }

  /** Makes the file where there is none. @throws {UnusableFile} */
  create(): void {
    if (sightOf(this.path) === undefined) makeFile(this.path);
    this.require();
  }

  /** @throws {UnusableFile} unless it is there and has its tables. */
  require(): void {
    this.#haveTables(this.#current());
  }

  /** Reads from the file as it is, whatever it is: nothing is written to it. @throws {UnusableFile} */
  look<Row>(source: string): Row[] {
    return this.#translating(() => this.#known(this.#current(), source).all() as Row[]);
  }

  prepare<Parameters extends unknown[] = [], Row = unknown>(source: string): Statement<Parameters, Row> {
    return {
      get: (...parameters) => this.#statement(source).get(...parameters) as Row | undefined,
      all: (...parameters) => this.#statement(source).all(...parameters) as Row[],
      run: (...parameters) => this.#statement(source).run(...parameters),
    };
  }

  /** Runs `work` in one immediate transaction. @throws what `work` throws; nothing is changed then. */
  transact<T>(work: () => T): T {
    const result = this.#within('BEGIN IMMEDIATE', work);
    this.#commits += 1;
    return result;
  }

  /** Runs what only reads on one consistent state. */
  readAtOnce<T>(work: () => T): T {
    return this.#within('BEGIN', work);
  }

  /** Differs after every change of the file, whoever made it, and without reading any of its rows. */
  version(): string {
    const [row] = this.look<{ data_version: number }>('PRAGMA data_version');
    return `${this.#opened?.ino}:${row?.data_version}:${this.#commits}`;
  }

  /** Whether SQLite finds nothing wrong in it. */
  isSound(): boolean {
    const found = this.look<{ quick_check: string }>('PRAGMA quick_check(1)');
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

  /** What stands at the path is looked at before and after: a repair may replace it in between. */
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

  /** Null where another file stands there by now. */
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

  /** Before the first use of the tables: what is another program's database gets none. */
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

/** Numbers of inodes may be larger than what a double can tell apart. */
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

/** As SQLite does, but with the rights that the umask leaves: a group may share a root. */
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
    // Reads the file for the first time, so that one that is no database is told of here.
    connection.prepare('PRAGMA schema_version').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
