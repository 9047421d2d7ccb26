import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from './clock.js';
import { newUuid } from './ids.js';
import { identify, isAlive } from './processes.js';

const retryMilliseconds = 1;
const tries = 500;
/** The pause between two tries where the holder of the lock calls a server meanwhile. */
const calmRetryMilliseconds = 50;

/**
 * Does `work` while no other process does any under the same lock file. Only for very short work: a caller that waits blocks its
 * event loop. The file names its holder, so that the lock of a killed process is taken over.
 * @throws Error when another process holds the lock for half a second; nothing was done then.
 */
export function exclusively<T>(lockPath: string, work: () => T): T {
  take(lockPath);
  try {
    return work();
  } finally {
    rmSync(lockPath, { force: true });
  }
}

/**
 * How long work waits for other processes, in milliseconds: in total (`inAll`), and for one that holds
 * the lock all the time (`forOne`).
 */
export interface LockPatience {
  clock: Clock;
  inAll: number;
  forOne: number;
}

/**
 * Does the same for longer work: a caller that waits does not block its event loop. The lock only makes it unlikely that other
 * processes work at the same time: when the patience is used up, or where no lock file can be made, the work is done without it.
 */
export async function apart<T>(lockPath: string, patience: LockPatience, work: () => Promise<T>): Promise<T> {
  // Where no lock file can be made, no process has one.
  const isMine = await takeWithin(lockPath, patience).catch(() => false);
  try {
    return await work();
  } finally {
    if (isMine) rmSync(lockPath, { force: true });
  }
}

/**
 * Does the same, but never while another process works under the lock.
 * @returns null where the lock stays taken for all of `patience`; nothing was done then.
 * @throws the file system's error where no lock file can be made.
 */
export async function aloneWithin<T>(
  lockPath: string,
  { clock, patience }: { clock: Clock; patience: number },
  work: () => Promise<T>,
): Promise<T | null> {
  const all = { clock, inAll: patience, forOne: patience };
  if (!(await takeWithin(lockPath, all, calmRetryMilliseconds))) return null;
  try {
    return await work();
  } finally {
    rmSync(lockPath, { force: true });
  }
}

async function takeWithin(
  lockPath: string,
  { clock, inAll, forOne }: LockPatience,
  retry = retryMilliseconds,
): Promise<boolean> {
  const until = clock.monotonic() + inAll;
  let other: string | null = null;
  let otherUntil = 0;
  let own = '';
  try {
    own = writeOwn(lockPath);
    while (!linkIfFree(own, lockPath)) {
      const now = clock.monotonic();
      const holder = holderOf(lockPath);
      // A lock that was released just now has no holder, so no new time limit begins.
      if (holder !== null && holder !== other) otherUntil = now + forOne;
      other = holder;
      if (now >= until || (holder !== null && now >= otherUntil)) return false;
      if (!breaksStale(lockPath)) await clock.sleep(retry);
    }
    return true;
  } finally {
    rmSync(own, { force: true });
  }
}

function take(lockPath: string): void {
  const own = writeOwn(lockPath);
  try {
    for (let left = tries; !linkIfFree(own, lockPath); left -= 1) {
      if (left === 0) throw new Error(`${lockPath} is held by ${holderOf(lockPath) || 'an unknown process'}`);
      if (!breaksStale(lockPath)) pause(retryMilliseconds);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Writes the file that becomes the lock file by a link: a lock file so has its holder's name in it from the first moment on.
 * @returns its path.
 */
function writeOwn(lockPath: string): string {
  const own = `${lockPath}.${newUuid()}`;
  try {
    // The path makes each lock of a process differ from its earlier ones.
    writeFileSync(own, JSON.stringify({ ...identify(process.pid), own }), { mode: 0o600 });
    return own;
  } catch (error) {
    rmSync(own, { force: true });
    throw error;
  }
}

/** Removes a lock whose holder is dead. @returns whether the next try may be made at once. */
function breaksStale(lockPath: string): boolean {
  const holder = holderOf(lockPath);
  if (holder === null) return true;
  if (!isDead(holder)) return false;
  const moved = `${lockPath}.${newUuid()}`;
  try {
    renameSync(lockPath, moved);
  } catch {
    return true;
  }
  // Another process was faster and has taken the lock; this is its lock, so it is put back.
  if (holderOf(moved) !== holder) linkIfFree(moved, lockPath);
  rmSync(moved, { force: true });
  return true;
}

/**
 * Returns the content of a lock file; null where there is none. A file that cannot be read counts as held by an unknown process.
 */
function holderOf(lockPath: string): string | null {
  try {
    return readFileSync(lockPath, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

function isDead(holder: string): boolean {
  try {
    const { pid, startedAt } = JSON.parse(holder) as { pid: number; startedAt: string };
    return !isAlive({ pid, startedAt });
  } catch {
    // The file was not written by this module, so it is unknown whether its holder lives.
    return false;
  }
}

const pause = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** Gives a file a second name. @returns false where the name is taken. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
