import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../foundation/open-database.js';
import { SessionRecords } from './session-records.js';

/** Readers wait for nobody but a program that is just opening or closing the database. */
const lockMilliseconds = 250;

/** To open it anew mends none of these, and leaves something behind each time (foundation/open-database.ts). */
const staysOpen = /^SQLITE_(BUSY|NOTADB|CORRUPT)/;

/** The records of a session cannot be read now. The message is a sentence for callers, without a path. */
export class RecordsUnreadable extends Error {
  override readonly name = 'RecordsUnreadable';
}

/**
 * Reads a session's database that another program may own, and may be killed over. It is opened when it is first read and
 * stays open; closed before this process itself writes there, since closing drops the locks that a process has on a file.
 */
export class ParkedReader {
  readonly #path: string;
  #open: { database: Database.Database; records: SessionRecords; inode: number } | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param nothing what a session without any record comes to. @throws {RecordsUnreadable} */
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

  /** Null where there is no database yet. */
  #records(): SessionRecords | null {
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino ?? null;
    if (this.#open?.inode !== inode) this.close();
    if (inode === null) return null;
    if (!this.#open) {
      // Not opened read-only: what a killed writer left has to be recovered first.
      const database = openDatabase(this.#path, { timeout: lockMilliseconds, fileMustExist: true });
      database.exec('PRAGMA query_only = ON');
      this.#open = { database, records: new SessionRecords(database), inode };
    }
    return this.#open.records;
  }
}
