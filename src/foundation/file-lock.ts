import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from './clock.js';
import { newUuid } from './ids.js';
import { identify, isAlive } from './processes.js';

const retryMilliseconds = 1;
const tries = 500;
/** Where others ask a server meanwhile. */
const calmRetryMilliseconds = 50;

/**
 * Does something while no other process does it under the same lock file. For moments only: whoever waits blocks its
 * event loop. The file names its holder, so that a lock whose holder was killed is taken over.
 * @throws Error when somebody else holds it for half a second; nothing was done then.
 */
export function exclusively<T>(lockPath: string, work: () => T): T {
  take(lockPath);
  try {
    return work();
  } finally {
    rmSync(lockPath, { force: true });
  }
}

/** How long work waits for others, in milliseconds: in all, and for one that has the lock all the while. */
export interface Patience {
  clock: Clock;
  inAll: number;
  forOne: number;
}

/**
 * The same for work that takes longer: whoever waits blocks nobody. It only makes it unlikely that others work meanwhile: when its
 * patience is over the work is done all the same, and so it is where no lock file can be.
 */
export async function apart<T>(lockPath: string, patience: Patience, work: () => Promise<T>): Promise<T> {
  // Where there can be no lock file nobody has one.
  const isMine = await takeWithin(lockPath, patience).catch(() => false);
  try {
    return await work();
  } finally {
    if (isMine) rmSync(lockPath, { force: true });
  }
}

/**
 * The same, but never beside others.
 * @returns null where somebody else holds it for all of `patience`; nothing was done then.
 * @throws the file system's error where no lock file can be.
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
  { clock, inAll, forOne }: Patience,
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
      // One that was let go in this moment is nobody's patience.
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

/** Written before it is linked: a lock file has its holder's name in it from its first moment on. @returns its path. */
function writeOwn(lockPath: string): string {
  const own = `${lockPath}.${newUuid()}`;
  try {
    // The path makes each time that a process has it another one.
    writeFileSync(own, JSON.stringify({ ...identify(process.pid), own }), { mode: 0o600 });
    return own;
  } catch (error) {
    rmSync(own, { force: true });
    throw error;
  }
}

/** Takes a lock away whose holder is dead. @returns whether the next try may be made at once. */
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
  // Another process was faster, took it for itself, and this is its lock: it gets it back.
  if (holderOf(moved) !== holder) linkIfFree(moved, lockPath);
  rmSync(moved, { force: true });
  return true;
}

/** What a lock file says; null where there is none. One that cannot be read is somebody's. */
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
    // It was not written by this function, so nobody knows.
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
