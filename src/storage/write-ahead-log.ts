import { closeSync, fdatasync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';

// SQLite itself would sync on the event loop: at each commit, and at each checkpoint. Here a thread of Node's pool does both,
// so that a slow disk delays only the callers that wait for it:
//
//   committed ──sync──▶ on disk ──1000 pages long──▶ copied ──sync of the database──▶ restarted ──sync──▶ committed …
//
// The connection runs with `synchronous=NORMAL` and makes no checkpoints of its own. The order is SQLite's: pages are copied
// from a log that is on disk, and the log is restarted when the database is on disk. It is restarted with its header and one
// frame, and they are on disk before the second frame is written. At whatever moment a crash or a power loss comes, the next
// start finds either the whole old log, or no log and a whole database. Other processes may read meanwhile. A program that
// writes between copy and sync could restart the log too early, but no other program writes here while this one does.

const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);

/** SQLite's own default. Copying 1000 pages holds the event loop for a few milliseconds. */
const longestPages = 1000;

/**
 * The number of syncs between two checks of the length, since a check takes locks. A few syncs add little compared with
 * {@link longestPages}.
 */
const syncsPerLook = 8;

interface Progress {
  /** Not 0 when another connection is in the way. */
  busy: number;
  /** Pages in the log. */
  log: number;
  /** The number of those pages that are in the database too. */
  checkpointed: number;
}

/** The write-ahead log of an open database. */
export class WriteAheadLog {
  readonly #connection: Database.Database;
  readonly #look: Database.Statement<[], Progress>;
  readonly #copy: Database.Statement<[], Progress>;
  readonly #version: Database.Statement<[], { user_version: number }>;
  readonly #log: number;
  readonly #database: number;
  #longest = longestPages;
  #syncs = 0;
  #underWay = 0;
  #closed = false;

  /** @param path the path of a database that was just opened in WAL mode. */
  constructor(connection: Database.Database, path: string) {
    this.#connection = connection;
    this.#look = connection.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#copy = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#version = connection.prepare('PRAGMA user_version');
    this.#log = openSync(`${path}-wal`, 'r');
    // Closing this file drops the locks that SQLite holds on it, so it stays open as long as the connection.
    this.#database = openSync(path, 'r');
  }

  /**
   * Resolves when everything that is committed is on disk.
   * @throws the system's error. The kernel then discards the data it could not write, so a later sync that succeeds proves
   * nothing.
   */
  async sync(): Promise<void> {
    // The length of the log and its place on disk seldom change, because it is overwritten again and again: only its content is
    // synced.
    this.#syncs += 1;
    await this.#with(() => syncData(this.#log));
  }

  /** Whether the log should be emptied; its length is not checked after every sync. */
  get isTooLong(): boolean {
    return this.#syncs % syncsPerLook === 0 && this.#pages > this.#longest;
  }

  /**
   * Copies the whole log into the database and restarts it. Everything must be on disk, and nothing may be written until this
   * resolves: a commit would overwrite the log before the database is on disk.
   * @throws the system's error, or the library's, which leaves everything as it was.
   */
  async empty(): Promise<void> {
    const copied = this.#unsynced(() => this.#copy.get());
    if (copied?.busy !== 0 || copied.checkpointed < copied.log) return this.postpone();
    await this.#with(() => syncFile(this.#database));
    if (this.#closed) return;
    // The first write restarts the log. It changes nothing and runs with syncs switched off, because SQLite would sync the
    // header on the event loop.
    const version = this.#version.get()?.user_version ?? 0;
    this.#unsynced(() => this.#connection.exec(`PRAGMA user_version = ${version}`));
    await this.sync();
    if (this.#closed) return;
    this.#longest = longestPages;
    if (this.#pages > this.#longest) this.postpone();
  }

  /** Lets the log grow longer before it is emptied, because a process reads from it or the disk refuses. */
  postpone(): void {
    this.#longest = this.#pages + longestPages;
  }

  /** To be called after the connection was closed. */
  close(): void {
    this.#closed = true;
    this.#closeUnused();
  }

  get #pages(): number {
    return this.#look.get()?.log ?? 0;
  }

  #unsynced<T>(work: () => T): T {
    this.#connection.exec('PRAGMA synchronous = OFF');
    try {
      return work();
    } finally {
      this.#connection.exec('PRAGMA synchronous = NORMAL');
    }
  }

  /** Keeps both files open while a thread works on one: a closed file's number could by then belong to another file. */
  async #with(work: () => Promise<void>): Promise<void> {
    this.#underWay += 1;
    try {
      await work();
    } finally {
      this.#underWay -= 1;
      this.#closeUnused();
    }
  }

  #closeUnused(): void {
    if (!this.#closed || this.#underWay !== 0) return;
    this.#underWay = Number.NaN;
    closeSync(this.#log);
    closeSync(this.#database);
  }
}
