import type { Database } from 'better-sqlite3';

interface Pending {
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
}

/** Memory that mirrors the database and must go back with it when a transaction does. */
export interface Mirror {
  /** Remembers the present values; the returned function puts them back. */
  snapshot(): () => void;
}

const wholeDatabase = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

/**
 * Work that arrives in one turn of the event loop shares one transaction and so one fsync. A promise resolves only
 * after the commit. When the shared transaction fails, every piece is tried alone, so that one bad piece does not take
 * its neighbours with it. A piece may therefore run twice: it writes to the database and to mirrors only.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #mirror: Mirror;
  readonly #committed: () => void;
  #pending: Pending[] = [];

  /** @param committed called after each commit. */
  constructor(database: Database, mirror: Mirror, committed: () => void) {
    this.#database = database;
    this.#mirror = mirror;
    this.#committed = committed;
  }

  /** Runs `work` in the next transaction. Its result comes when that is on disk. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what waits, now. */
  flush(): void {
    const batch = this.#pending;
    this.#pending = [];
    if (batch.length === 0) return;
    try {
      const results = this.#transact(batch);
      batch.forEach((piece, index) => {
        piece.resolve(results[index] as never);
      });
    } catch (error) {
      if (batch.length === 1 || isWholeDatabase(error)) for (const piece of batch) piece.reject(error);
      else for (const piece of batch) this.#alone(piece);
    }
    this.#committed();
  }

  #alone(piece: Pending): void {
    try {
      piece.resolve(this.#transact([piece])[0] as never);
    } catch (error) {
      piece.reject(error);
    }
  }

  #transact(batch: readonly Pending[]): unknown[] {
    const restore = this.#mirror.snapshot();
    try {
      return this.#database.transaction(() => batch.map((piece) => piece.work())).immediate();
    } catch (error) {
      restore();
      throw error;
    }
  }
}

/** Whether a fault is one of the whole database: no piece of work is to blame, and none would fare better alone. */
export const isWholeDatabase = (error: unknown): boolean =>
  wholeDatabase.test((error as { code?: string }).code ?? '');
