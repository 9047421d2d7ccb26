import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../foundation/open-database.js';
import { SessionRecords } from './session-records.js';

/** The longest wait for a lock: readers only wait for a program that is just opening or closing the database. */
const lockMilliseconds = 250;

/**
 * The errors that opening the database again does not cure; each opening leaves something behind
 * (foundation/open-database.ts).
 */
const staysOpen = /^SQLITE_(BUSY|NOTADB|CORRUPT)/;

/** The error of records that cannot be read now. The message is a sentence for callers, without a path. */
export class RecordsUnreadable extends Error {
  override readonly name = 'RecordsUnreadable';
}

/**
 * The reader of a session's database, which another program may own, and may be killed while it writes. The database is
 * opened at the first read and stays open; it is closed before this process itself writes there, since closing drops the
 * locks that a process has on a file.
 */
export class ParkedReader {
  readonly #path: string;
  #open: { database: Database.Database; records: SessionRecords; inode: number } | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param nothing the result for a session without any record.
   * @throws {RecordsUnreadable}
   */
  read<T>(work: (records: SessionRecords) => T, nothing: T): T {
    try {
      const records = this.#records();
      return records ? work(records) : nothing;
    } catch (error) {
      const { code = 'unknown' } = error as { code?: string };
      if (!staysOpen.test(code)) this.close();
      throw new RecordsUnreadable(`The records of the session cannot be read now (${code}).`, {
        cause: error,
      });
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = null;
  }

  /** Returns null where there is no database yet. */
  #records(): SessionRecords | null {
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino ?? null;
    if (this.#open?.inode !== inode) this.close();
    if (inode === null) return null;
    if (!this.#open) {
      // Not opened read-only: the unfinished work of a killed writer has to be recovered first.
      const database = openDatabase(this.#path, { timeout: lockMilliseconds, fileMustExist: true });
      database.exec('PRAGMA query_only = ON');
      this.#open = { database, records: new SessionRecords(database), inode };
    }
    return this.#open.records;
  }
}
