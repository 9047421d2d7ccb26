import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../../foundation/open-database.js';
import { UnusableFile } from '../../../foundation/unusable-file.js';
import type { Statement } from '../../../storage/store.js';

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
  #opened: Stats | null = null;
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
    this.#open(false);
  }

  /** @throws {UnusableFile} unless it is there and has its tables. */
  require(): void {
    this.#current();
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
    const row = this.prepare<[], { data_version: number }>('PRAGMA data_version').get();
    return `${this.#opened?.ino}:${row?.data_version}:${this.#commits}`;
  }

  /** Whether SQLite finds nothing wrong in it. */
  isSound(): boolean {
    const found = this.prepare<[], { quick_check: string }>('PRAGMA quick_check(1)').all();
    return found.length === 1 && found[0]?.quick_check === 'ok';
  }

  close(): void {
    this.#statements.clear();
    this.#connection?.close();
    this.#connection = null;
  }

  #within<T>(begin: string, work: () => T): T {
    const connection = this.#current();
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
    const known = this.#statements.get(source);
    if (known) return known;
    const statement = connection.prepare<unknown[]>(source);
    this.#statements.set(source, statement);
    return statement;
  }

  #current(): Database.Database {
    if (this.#connection && (this.#inTransaction || this.#isUpToDate())) return this.#connection;
    this.close();
    return this.#open(true);
  }

  #isUpToDate(): boolean {
    if (this.#readsOnly && isWritable(this.path)) return false;
    const now = lstatSync(this.path, { throwIfNoEntry: false });
    return now !== undefined && now.ino === this.#opened?.ino && now.dev === this.#opened.dev;
  }

  #open(mustExist: boolean): Database.Database {
    this.close();
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (found && !found.isFile())
      throw new UnusableFile(this.path, 'is no regular file', 'move it aside and repair the mailbox');
    if (!found && mustExist) throw new UnusableFile(this.path, 'is missing', 'repair the mailbox');
    let database: Database.Database | null = null;
    try {
      database = openDatabase(this.path, { timeout: lockMilliseconds });
      const mode = database.prepare<[], { journal_mode: string }>('PRAGMA journal_mode = DELETE').get();
      if (mode?.journal_mode !== 'delete')
        throw new UnusableFile(this.path, 'has a write-ahead log that another program uses');
      database.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000');
      database.exec(this.#tables);
    } catch (error) {
      database?.close();
      throw this.#translated(error);
    }
    this.#opened = lstatSync(this.path);
    this.#readsOnly = !isWritable(this.path);
    this.#connection = database;
    return database;
  }

  #translated(error: unknown): unknown {
    const { code = '', message } = error as { code?: string; message: string };
    return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_ERROR'
      ? new UnusableFile(this.path, message, 'move it aside and repair the mailbox')
      : error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
