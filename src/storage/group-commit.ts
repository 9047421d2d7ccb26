import type { Clock } from '../foundation/clock.js';
import { isWholeDatabase, StoreUnavailable } from './storage-fault.js';
import type { Store } from './store.js';

interface Pending {
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
}

/** Memory that mirrors the database and must be rolled back together with a transaction. */
export interface Mirror {
  /** Remembers the present values; the returned function puts them back. */
  snapshot(): () => void;
}

/** Watches the files of the database. */
export interface CommitGuard {
  /** @throws when nothing may be written at the moment. */
  enter(): void;
  /**
   * Calls `answer` when the committed work is in the file that the next start opens. That is usually at once, and later only where
   * that file was deleted or replaced. Calls `refuse` if the program stops before that.
   */
  leave(answer: () => void, refuse: (reason: unknown) => void): void;
  /** Called when another process still holds a lock after the waiting time. */
  locked(error: unknown): void;
}

/** The total time to wait for a lock of another process. */
const lockMilliseconds = 2000;
const askAgainMilliseconds = 25;

/** A piece of work that was committed, and its result. */
interface Done {
  piece: Pending;
  result: unknown;
}

// One group at a time:
//
//   gathering ──next turn of the event loop──▶ committed ──sync, by another thread──▶ on disk ──answers──▶ gathering
//
// Work that arrives during a sync gathers for the next group.

/**
 * Puts work that arrives together into one transaction and one sync. A promise resolves only when its work is on disk. Readers
 * may see the change a moment earlier, before any caller was promised it. When the shared transaction fails, every piece is
 * tried alone, so that one bad piece does not fail the others. A piece may therefore run twice: it may write only to the
 * database and to mirrors. While another process holds a lock, only the work that needs the database waits.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #mirror: Mirror;
  readonly #onDisk: () => void;
  readonly #clock: Clock;
  readonly #guard: CommitGuard;
  #pending: Pending[] = [];
  #underWay: Promise<void> | null = null;
  #lockedSince: number | null = null;

  /** @param onDisk called when everything committed is on disk, before the promises of that work resolve. */
  constructor(store: Store, mirror: Mirror, onDisk: () => void, clock: Clock, guard: CommitGuard) {
    this.#store = store;
    this.#mirror = mirror;
    this.#onDisk = onDisk;
    this.#clock = clock;
    this.#guard = guard;
  }

  /** Runs `work` in the next transaction. The promise resolves with its result when the transaction is on disk. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      if (this.#pending.length === 1 && !this.#underWay) this.#gather();
    });
  }

  /** Commits pending work; work that a lock refuses is not retried. Resolves when nothing is under way any more. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#next(true);
    await this.#underWay;
  }

  #gather(): void {
    setImmediate(() => this.#next());
  }

  /** @param last true when no later attempt will follow. */
  #next(last = false): void {
    if (this.#underWay || this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    const done = this.#commit(batch, last);
    if (done.length > 0) this.#underWay = this.#settle(done);
  }

  /** Answers the committed work once it is synced. Resolves when the next group may be committed. */
  async #settle(done: readonly Done[]): Promise<void> {
    const onDisk = await this.#store.sync();
    this.#guard.leave(
      () => {
        for (const { piece, result } of done) piece.resolve(result as never);
      },
      (reason) => {
        for (const { piece } of done) piece.reject(reason);
      },
    );
    if (onDisk) this.#onDisk();
    await this.#store.tidy();
    this.#underWay = null;
    // Waits one more turn of the event loop: callers that were just answered often send more work, which then shares this sync.
    if (this.#pending.length > 0) setImmediate(() => this.#gather());
  }

  /** @returns the pieces that were committed; the others were rejected with the reason, or wait for the next attempt. */
  #commit(batch: Pending[], last: boolean): Done[] {
    try {
      const results = this.#transact(batch);
      this.#lockedSince = null;
      return batch.map((piece, index) => ({ piece, result: results[index] }));
    } catch (error) {
      if (!last && this.#waitsFor(error)) {
        this.#pending = [...batch, ...this.#pending];
        this.#askAgain();
        return [];
      }
      if (batch.length > 1 && !isWholeDatabase(error)) return batch.flatMap((piece) => this.#alone(piece));
      for (const piece of batch) piece.reject(error);
      return [];
    }
  }

  /**
   * Decides whether this is a lock that may still be released in time. After the waiting time, later commits do not wait for
   * it.
   */
  #waitsFor(error: unknown): boolean {
    if (!(error instanceof StoreUnavailable) || error.fault.code !== 'locked') return false;
    this.#lockedSince ??= this.#clock.monotonic();
    if (this.#clock.monotonic() - this.#lockedSince < lockMilliseconds) return true;
    this.#guard.locked(error);
    return false;
  }

  #askAgain(): void {
    this.#clock.sleep(askAgainMilliseconds).then(
      () => this.#next(),
      () => undefined,
    );
  }

  #alone(piece: Pending): Done[] {
    try {
      const [result] = this.#transact([piece]);
      return [{ piece, result }];
    } catch (error) {
      piece.reject(error);
      return [];
    }
  }

  #transact(batch: readonly Pending[]): unknown[] {
    this.#guard.enter();
    const restore = this.#mirror.snapshot();
    try {
      return this.#store.transact(() => batch.map((piece) => piece.work()));
    } catch (error) {
      restore();
      throw error;
    }
  }
}
