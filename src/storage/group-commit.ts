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
  /** @throws when nothing may be written just now. */
  enter(): void;
  /**
   * Calls `answer` as soon as what was committed is where the next start looks for it, mostly at once; `refuse` when the
   * program stops before that.
   */
  leave(answer: () => void, refuse: (reason: unknown) => void): void;
  /** Called when a lock of another process has not gone away in time. */
  locked(error: unknown): void;
}

/** How long to wait for a lock of another process, in all. */
const lockMilliseconds = 2000;
const askAgainMilliseconds = 25;

/** A piece that was committed. */
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
 * Work that arrives together shares one transaction and one sync. A promise resolves only when that is on disk. Readers may
 * see it a moment earlier: nothing was promised about it yet. When the shared transaction fails, every piece is tried alone,
 * so that one bad piece does not take its neighbours with it. A piece may therefore run twice: it writes to the database and
 * to mirrors only. While another process holds a lock, only the work that needs the database waits.
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

  /** @param onDisk called when everything that was committed is on disk, before its promises resolve. */
  constructor(store: Store, mirror: Mirror, onDisk: () => void, clock: Clock, guard: CommitGuard) {
    this.#store = store;
    this.#mirror = mirror;
    this.#onDisk = onDisk;
    this.#clock = clock;
    this.#guard = guard;
  }

  /** Runs `work` in the next transaction. Its result comes when that is on disk. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      if (this.#pending.length === 1 && !this.#underWay) this.#gather();
    });
  }

  /** Commits pending work; what a lock refuses is not tried again. Resolves when nothing is under way any more. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#next(true);
    await this.#underWay;
  }

  #gather(): void {
    setImmediate(() => this.#next());
  }

  /** @param last true when there will be no later try. */
  #next(last = false): void {
    if (this.#underWay || this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    const done = this.#commit(batch, last);
    if (done.length > 0) this.#underWay = this.#settle(done);
  }

  /** Resolves when the next group may be committed. */
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
    // A turn later: what the callers send who were just answered joins it, and saves a sync of its own.
    if (this.#pending.length > 0) setImmediate(() => this.#gather());
  }

  /** @returns the pieces that were committed; the others were told why not, or wait again. */
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

  /** Whether this is a lock that may still go away in time. Once it has not, later commits do not wait for it. */
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
