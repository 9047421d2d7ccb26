import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { newUuid } from './ids.js';
import { identify, isAlive } from './process-identity.js';
import { linkIfFree } from './second-name.js';

const retryMilliseconds = 1;
const tries = 500;

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

function take(lockPath: string): void {
  const own = `${lockPath}.${newUuid()}`;
  // Written before it is linked: a lock file has its holder's name in it from its first moment on.
  writeFileSync(own, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    for (let left = tries; !linkIfFree(own, lockPath); left -= 1) {
      if (left === 0) throw new Error(`${lockPath} is held by ${holderOf(lockPath) ?? 'nobody known'}`);
      if (!breaksStale(lockPath)) pause(retryMilliseconds);
    }
  } finally {
    rmSync(own, { force: true });
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

/** What a lock file says; null where there is none. */
function holderOf(lockPath: string): string | null {
  try {
    return readFileSync(lockPath, 'utf8');
  } catch {
    return null;
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
