import { closeSync, fdatasync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';

// SQLite itself would sync on the event loop: at each commit, and at each checkpoint. Both are done here, by a thread of
// Node's pool, so that a slow disk holds only who waits for it:
//
//   committed ──sync──▶ on disk ──1000 pages long──▶ copied ──sync of the database──▶ begun anew ──sync──▶ committed …
//
// The connection runs with `synchronous=NORMAL` and makes no checkpoints of its own. The order is SQLite's: pages are copied
// from a log that is on disk, and the log is begun anew when the database is on disk. It is begun with its head and one
// frame, and they are on disk before the second frame is written. Whatever moment a crash or a power loss chooses, the
// next start finds the whole old log, or none of it and a whole database. Others may read meanwhile. A program that writes
// between copy and sync could begin the log too early, but nobody else writes here while we do.

const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);

/** SQLite's own measure. To copy that many holds the event loop for a few milliseconds. */
const longestPages = 1000;

/** Looking takes locks. What a few syncs add is little beside {@link longestPages}. */
const syncsPerLook = 8;

interface Progress {
  /** Not 0 when somebody else is about it. */
  busy: number;
  /** Pages in the log. */
  log: number;
  /** How many of them are in the database too. */
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

  /** @param path of a database that was just opened in WAL mode. */
  constructor(connection: Database.Database, path: string) {
    this.#connection = connection;
    this.#look = connection.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#copy = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#version = connection.prepare('PRAGMA user_version');
    this.#log = openSync(`${path}-wal`, 'r');
    // Closing it drops the locks that SQLite holds on that file: it stays open as long as the connection.
    this.#database = openSync(path, 'r');
  }

  /**
   * Resolves when everything that is committed is on disk.
   * @throws the system's error. The kernel then forgets what it could not write, and another sync that succeeds says nothing.
   */
  async sync(): Promise<void> {
    // Its length and place on disk seldom change: the log is written over and over. Only its content has to be synced.
    this.#syncs += 1;
    await this.#with(() => syncData(this.#log));
  }

  /** Whether it should be emptied; not looked at after every sync. */
  get isTooLong(): boolean {
    return this.#syncs % syncsPerLook === 0 && this.#pages > this.#longest;
  }

  /**
   * Takes everything over into the database and begins anew. Everything must be on disk, and nothing may be written until
   * this resolves: a commit would overwrite the log before the database is on disk.
   * @throws the system's error, or the library's, which leaves everything as it was.
   */
  async empty(): Promise<void> {
    const copied = this.#unsynced(() => this.#copy.get());
    if (copied?.busy !== 0 || copied.checkpointed < copied.log) return this.postpone();
    await this.#with(() => syncFile(this.#database));
    if (this.#closed) return;
    // The first write begins the log anew. It is one that changes nothing, because SQLite would sync the head on the event loop.
    const version = this.#version.get()?.user_version ?? 0;
    this.#unsynced(() => this.#connection.exec(`PRAGMA user_version = ${version}`));
    await this.sync();
    if (this.#closed) return;
    this.#longest = longestPages;
    if (this.#pages > this.#longest) this.postpone();
  }

  /** Somebody reads what is in it, or the disk refuses: it becomes longer before it is emptied. */
  postpone(): void {
    this.#longest = this.#pages + longestPages;
  }

  /** Call it after the connection was closed. */
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

  /** A file that a thread works on is not closed under its hands: its number may be another file's by then. */
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
