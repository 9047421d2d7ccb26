import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../../foundation/clock.js';
import { tryLock } from '../../../foundation/directory-lock.js';
import { OneAtATime } from '../../../foundation/one-at-a-time.js';
import { startTimeOf } from '../../../foundation/process-identity.js';
import { MailFault } from '../../message/mail-fault.js';
import { isLeftBehind } from './left-lock.js';
import { endedHolders, writeHolder } from './lock-holder.js';
import type { MailPaths } from './mail-paths.js';

/** Per lock, as in the older implementation. */
const patienceMilliseconds = 5000;
/** The older implementation asks every 50 ms; whoever asks more often gets its turn sooner. */
const pollMilliseconds = 10;

/** The locks that a process left when it ended: what it did under them may be half done. */
export interface LeftLocks {
  addresses: string[];
  index: boolean;
}

interface LeftLock {
  inode: number;
  isLeft: () => boolean;
}

interface Parts {
  paths: MailPaths;
  clock: Clock;
  /** Finishes what was begun under locks before they are taken away. */
  recover: (left: LeftLocks) => Promise<void>;
}

/**
 * The lock files of a root, shared with the older implementation: addresses in the order of their code points, then the
 * index. The states of one:
 *   free   no file; becomes held when the file is made, which only one process can
 *   held   becomes free when its holder removes it, left when its holder ends without that
 *   left   becomes free when somebody with evidence of that has recovered what was begun under it
 */
export class MailboxLocks {
  readonly #parts: Parts;
  readonly #queue = new OneAtATime();
  #notBefore = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does work under the locks of addresses and of the index. @throws {MailFault} `locked`; nothing was done then. */
  withIndex<T>(addresses: readonly string[], work: () => T | Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#holding([...this.#pathsOf(addresses), this.#indexLock], work));
  }

  /** The same under the lock of one address alone, for what only its own database knows. */
  withAddress<T>(address: string, work: () => T | Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#holding(this.#pathsOf([address]), work));
  }

  /** Recovers what processes left that have ended. */
  recoverLeft(): Promise<void> {
    return this.#queue.run(async () => {
      for (const { path, inode } of endedHolders(this.#parts.paths))
        await this.#break({ inode, isLeft: () => isInode(path, inode) }, path);
    });
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
    const pause = this.#notBefore - clock.monotonic();
    if (pause > 0) await clock.sleep(pause);
    const stamp = clock.now().toISOString().replace('Z', '000+00:00');
    const holder = writeHolder(paths, `pid=${process.pid} acquired_at_utc=${stamp}\n`);
    const held: string[] = [];
    let since = clock.monotonic();
    try {
      for (const lock of locks) {
        await this.#take(lock, holder);
        held.push(lock);
        if (held.length === 1) since = clock.monotonic();
      }
      return await work();
    } finally {
      for (const lock of held.reverse()) rmSync(lock, { force: true });
      rmSync(holder, { force: true });
      // Others only look from time to time whether a lock is free: it stays free for as long as we held it.
      const now = clock.monotonic();
      this.#notBefore = held.length === 0 ? 0 : now + Math.min(now - since, patienceMilliseconds / 10);
    }
  }

  async #take(lock: string, holder: string): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.monotonic() + patienceMilliseconds;
    while (!links(holder, lock)) {
      if (await this.#breaksLeft(lock)) continue;
      if (clock.monotonic() >= until) throw new MailFault('locked', `${lock} is held: ${lineOf(lock)}`);
      await clock.sleep(pollMilliseconds);
    }
  }

  /** @returns whether the lock was taken away. */
  async #breaksLeft(lock: string): Promise<boolean> {
    const file = lstatSync(lock, { throwIfNoEntry: false });
    if (!file) return true;
    const inode = file.ino;
    const ended = endedHolders(this.#parts.paths).find((holder) => holder.inode === inode);
    if (ended) return this.#break({ inode, isLeft: () => isInode(ended.path, inode) }, ended.path);
    // Two names: a lock of ours, whose holder is alive or cannot be judged from here.
    if (file.nlink > 1) return false;
    const isLeft = () => isInode(lock, inode) && this.#isPlainLeft(lock, file.mtimeMs);
    return isLeft() && this.#break({ inode, isLeft }, null);
  }

  #isPlainLeft(lock: string, modifiedAt: number): boolean {
    const ageMilliseconds = this.#parts.clock.now().getTime() - modifiedAt;
    return isLeftBehind({ line: lineOf(lock), ageMilliseconds }, (pid) => startTimeOf(pid) !== null);
  }

  /**
   * Recovers what was begun under the locks of an ended process, while they still keep everybody else out, and then takes
   * them away. Only one process does so at a time, and looks again first: another one may have been faster, and a new lock may
   * have got the old one's inode.
   */
  async #break({ inode, isLeft }: LeftLock, holder: string | null): Promise<boolean> {
    const { paths, recover } = this.#parts;
    mkdirSync(paths.holders, { recursive: true });
    const alone = tryLock(join(paths.holders, 'recovery.lock'));
    if (!alone) return false;
    try {
      if (!isLeft()) return true;
      const locks = [this.#indexLock, ...this.#addressLockFiles()].filter((path) => isInode(path, inode));
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

/** Gives a file another name, unless that is taken. */
function links(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function lineOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8').slice(0, 200).trim();
  } catch {
    return '';
  }
}

const isInode = (path: string, inode: number): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
