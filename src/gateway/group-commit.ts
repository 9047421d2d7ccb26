import type { Database } from 'better-sqlite3';
import type { Clock } from '../foundation/clock.js';
import { isWholeDatabase, QueueUnavailable } from './storage/storage-fault.js';

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

/** Who watches over the files of the database. */
export interface CommitDoor {
  /** @throws when nothing may be written just now. */
  enter(): void;
  /**
   * Calls `answer` as soon as what was committed is where the next start looks for it, mostly at once; `refuse` when the
   * gateway goes down before that.
   */
  leave(answer: () => void, refuse: (reason: unknown) => void): void;
  /** Told of a lock that stayed. */
  locked(error: unknown): void;
}

/** Somebody else's lock is given this long to go. */
const lockMilliseconds = 2000;
const askAgainMilliseconds = 25;

/**
 * Work that arrives in one turn of the event loop shares one transaction and so one fsync. A promise resolves only
 * after the commit. When the shared transaction fails, every piece is tried alone, so that one bad piece does not take
 * its neighbours with it. A piece may therefore run twice: it writes to the database and to mirrors only. A lock of
 * another process is waited for without holding up anything else.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #mirror: Mirror;
  readonly #committed: () => void;
  readonly #clock: Clock;
  readonly #door: CommitDoor;
  #pending: Pending[] = [];
  #lockedSince: number | null = null;

  /** @param committed called after each commit. */
  constructor(database: Database, mirror: Mirror, committed: () => void, clock: Clock, door: CommitDoor) {
    this.#database = database;
    this.#mirror = mirror;
    this.#committed = committed;
    this.#clock = clock;
    this.#door = door;
  }

  /** Runs `work` in the next transaction. Its result comes when that is on disk. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what waits, now. @param last nothing is left to try again later. */
  flush(last = false): void {
    const batch = this.#pending;
    this.#pending = [];
    if (batch.length === 0) return;
    try {
      const results = this.#transact(batch);
      this.#lockedSince = null;
      this.#door.leave(
        () => {
          batch.forEach((piece, index) => {
            piece.resolve(results[index] as never);
          });
        },
        (reason) => {
          for (const piece of batch) piece.reject(reason);
        },
      );
    } catch (error) {
      if (!last && this.#waitsFor(error)) {
        this.#pending = [...batch, ...this.#pending];
        this.#askAgain();
        return;
      }
      if (batch.length === 1 || isWholeDatabase(error)) for (const piece of batch) piece.reject(error);
      else for (const piece of batch) this.#alone(piece);
    }
    this.#committed();
  }

  /** Whether this is a lock that may go in time. Once one has stayed, nobody waits for it any more. */
  #waitsFor(error: unknown): boolean {
    if (!(error instanceof QueueUnavailable) || error.fault.code !== 'locked') return false;
    this.#lockedSince ??= this.#clock.monotonic();
    if (this.#clock.monotonic() - this.#lockedSince < lockMilliseconds) return true;
    this.#door.locked(error);
    return false;
  }

  #askAgain(): void {
    this.#clock.sleep(askAgainMilliseconds).then(
      () => this.flush(),
      () => undefined,
    );
  }

  #alone(piece: Pending): void {
    try {
      const [result] = this.#transact([piece]);
      this.#door.leave(() => piece.resolve(result as never), piece.reject);
    } catch (error) {
      piece.reject(error);
    }
  }

  #transact(batch: readonly Pending[]): unknown[] {
    this.#door.enter();
    const restore = this.#mirror.snapshot();
    try {
      return this.#database.transaction(() => batch.map((piece) => piece.work())).immediate();
    } catch (error) {
      restore();
      throw error;
    }
  }
}
