import {
  closeSync,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../../foundation/clock.js';
import { OneAtATime } from '../../../foundation/concurrency.js';
import { tryLock } from '../../../foundation/directory-lock.js';
import { linkIfFree } from '../../../foundation/file-lock.js';
import { isPidUnused } from '../../../foundation/processes.js';
import { MailFault } from '../../message/mail-fault.js';
import {
  goneHolders,
  type Holder,
  inodeOf,
  isLeftBehind,
  makeHolders,
  touchHolder,
  writeHolder,
} from './lock-holder.js';
import type { MailPaths } from './mail-paths.js';
import { patienceMilliseconds, RetryLimit } from './shared-database.js';

/** The older implementation tries every 50 ms; a process that tries more often gets the lock sooner. */
const pollMilliseconds = 10;
/** How often a holder gives a sign of life. */
const signMilliseconds = 60_000;

/** The locks that a process left when it ended: its work under them may be half done. */
export interface LeftLocks {
  addresses: string[];
  index: boolean;
}

interface LeftLock {
  inode: bigint;
  isLeft: () => boolean;
}

interface Parts {
  paths: MailPaths;
  clock: Clock;
  /** Finishes the work that was begun under left locks, before the locks are removed. */
  recover: (left: LeftLocks) => Promise<void>;
}

/** Locks of ours that could not be removed. */
interface Kept {
  locks: string[];
  holder: Holder;
}

/**
 * The lock files of a root, shared with the older implementation: addresses in the order of their code points, then
 * the index. The states of a lock:
 *   free: no file; becomes held when the file is made, which only one process can do
 *   held: becomes free when its holder removes it, left when its holder ends without doing so
 *   left: becomes free when a process with evidence of that has recovered the work begun under it
 */
export class MailboxLocks {
  readonly #parts: Parts;
  readonly #queue = new OneAtATime();
  #notBefore = 0;
  #kept: Kept[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does work under the locks of addresses and of the index. @throws {MailFault} `locked`; nothing was done then. */
  withIndex<T>(addresses: readonly string[], work: () => T | Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#holding([...this.#pathsOf(addresses), this.#indexLock], work));
  }

  /** Does work under the lock of one address, for facts that only its own database has. */
  withAddress<T>(address: string, work: () => T | Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#holding(this.#pathsOf([address]), work));
  }

  /** Recovers the work that ended processes left. */
  recoverLeft(): Promise<void> {
    return this.#queue.run(async () => {
      for (const holder of this.#gone()) await this.#breakGone(holder);
    });
  }

  /** Removes locks that could not be removed when their work was done, for example on a disk that was read-only for a while. */
  giveBackKept(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const { locks, holder } of kept) this.#giveBack(locks, holder);
  }

  get #indexLock(): string {
    return join(this.#parts.paths.locks, 'index.lock');
  }

  #pathsOf(addresses: readonly string[]): string[] {
    const { addressLocks } = this.#parts.paths;
    // Addresses are ASCII, where the order of UTF-16 units is that of code points.
    return [...new Set(addresses)].sort().map((address) => join(addressLocks, `${address}.lock`));
  }

  async #holding<T>(locks: readonly string[], work: () => T | Promise<T>): Promise<T> {
    const { clock, paths } = this.#parts;
    this.giveBackKept();
    const pause = this.#notBefore - clock.monotonic();
    if (pause > 0) await clock.sleep(pause);
    const stamp = clock.now().toISOString().replace('Z', '000+00:00');
    const holder = writeHolder(paths, `pid=${process.pid} acquired_at_utc=${stamp}\n`);
    const held: string[] = [];
    const over = new AbortController();
    void this.#giveSigns(holder, over.signal);
    let since = clock.monotonic();
    try {
      for (const lock of locks) {
        await this.#take(lock, holder);
        held.push(lock);
        if (held.length === 1) since = clock.monotonic();
      }
      return await work();
    } finally {
      over.abort();
      this.#giveBack(held.reverse(), holder);
      // Other processes check only from time to time whether a lock is free: it stays free as long as we held it,
      // up to a tenth of the patience.
      const now = clock.monotonic();
      this.#notBefore = held.length === 0 ? 0 : now + Math.min(now - since, patienceMilliseconds / 10);
    }
  }

  /**
   * Finished work stays done, whether its locks can be removed or not: the next work, or the next call of
   * {@link giveBackKept}, tries again.
   */
  #giveBack(locks: readonly string[], holder: Holder): void {
    const kept = locks.filter((lock) => !removed(lock, holder.inode));
    if (kept.length > 0 || !removed(holder.path, holder.inode)) this.#kept.push({ locks: kept, holder });
  }

  async #giveSigns(holder: Holder, over: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      await clock.sleep(signMilliseconds, over);
      if (over.aborted) return;
      try {
        touchHolder(holder, clock.now());
      } catch {
        // A process that waits for ten minutes without a sign of life may then remove the locks, and
        // the work continues to its end.
      }
    }
  }

  async #take(lock: string, holder: Holder): Promise<void> {
    const { clock } = this.#parts;
    const patience = new RetryLimit(clock);
    while (!linkIfFree(holder.path, lock)) {
      if (await this.#breaksLeft(lock)) continue;
      if (patience.isReached()) throw new MailFault('locked', `${lock} is held: ${lineOf(lock)}`);
      await clock.sleep(pollMilliseconds);
    }
  }

  /** @returns whether the lock is gone. */
  async #breaksLeft(lock: string): Promise<boolean> {
    const file = lstatSync(lock, { throwIfNoEntry: false, bigint: true });
    if (!file) return true;
    const inode = file.ino;
    const gone = this.#gone().find((holder) => holder.inode === inode);
    if (gone) return this.#breakGone(gone);
    // Two names: this is a lock of ours, whose holder is alive or cannot be checked from here.
    if (file.nlink > 1n) return false;
    const isLeft = () => inodeOf(lock) === inode && this.#isPlainLeft(lock, Number(file.mtimeMs));
    return isLeft() && this.#break({ inode, isLeft }, null);
  }

  #gone(): Holder[] {
    return goneHolders(this.#parts.paths, this.#parts.clock.now());
  }

  #breakGone({ path, inode }: Holder): Promise<boolean> {
    const isLeft = () => this.#gone().some((holder) => holder.path === path && holder.inode === inode);
    return this.#break({ inode, isLeft }, path);
  }

  #isPlainLeft(lock: string, modifiedAt: number): boolean {
    const ageMilliseconds = this.#parts.clock.now().getTime() - modifiedAt;
    return isLeftBehind({ line: lineOf(lock), ageMilliseconds }, isPidUnused);
  }

  /**
   * Recovers the work that was begun under the locks of an ended process, while they still keep all other processes out, and then
   * removes them. Only one process does so at a time, and it checks again first: another process may have been faster, and a new
   * lock may have got the inode of the old one.
   */
  async #break({ inode, isLeft }: LeftLock, holder: string | null): Promise<boolean> {
    const { paths, recover } = this.#parts;
    const alone = tryLock(recoveryLock(paths), null);
    if (!alone) return false;
    try {
      if (!isLeft()) return true;
      const locks = [this.#indexLock, ...this.#addressLockFiles()].filter((path) => inodeOf(path) === inode);
      const addresses = locks.filter((lock) => lock !== this.#indexLock);
      if (locks.length > 0)
        await recover({
          addresses: addresses.map((lock) => basename(lock, '.lock')),
          index: locks.includes(this.#indexLock),
        });
      for (const lock of locks) rmSync(lock, { force: true });
      if (holder !== null) rmSync(holder, { force: true });
      return true;
    } finally {
      alone.release();
    }
  }

  #addressLockFiles(): string[] {
    const { addressLocks } = this.#parts.paths;
    return readdirSync(addressLocks).map((name) => join(addressLocks, name));
  }
}

function lineOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8').slice(0, 200).trim();
  } catch {
    return '';
  }
}

/** Removes a name of a file, unless it belongs to another file by now. @returns false when it still exists. */
function removed(path: string, inode: bigint): boolean {
  try {
    if (inodeOf(path) === inode) rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the recovery lock for every user who may lock, like its folder.
 * @throws {MailFault} where something other than a file stands there.
 */
function recoveryLock(paths: MailPaths): string {
  makeHolders(paths);
  const path = join(paths.holders, 'recovery.lock');
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new MailFault('root_unusable', `${path}: is not a regular file`);
  if (found) return path;
  const file = openSync(path, 'a');
  try {
    fchmodSync(file, statSync(paths.holders).mode & 0o666);
  } finally {
    closeSync(file);
  }
  return path;
}
