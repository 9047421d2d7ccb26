import { chmodSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.js';
import { openDatabase } from './open-database.js';

/**
 * A lock that is held until the process ends or {@link DirectoryLock.release} is called; the kernel frees it on a crash. Its owner keeps
 * it: with the last reference to it the garbage collector would close its database, and free the lock.
 */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes an exclusive lock file. SQLite's lock is used because the queue needs it to work on every platform and file system
 * anyway, and because it ends with its process.
 * @param mode access rights of the file; null leaves them as its creator set them.
 * @param patienceMilliseconds how long to wait for the lock; the event loop is blocked meanwhile.
 * @returns null when another process holds it.
 */
export function tryLock(
  path: string,
  mode: number | null = 0o600,
  patienceMilliseconds = 0,
): DirectoryLock | null {
  makeFolder(dirname(path), 0o700);
  const database = openDatabase(path, { timeout: patienceMilliseconds });
  if (mode !== null) chmodSync(path, mode);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  return { release: () => database.close() };
}

/**
 * Returns the process that holds a lock of a file; null where none is found, such as on systems other than Linux, or
 * where it belongs to another user.
 */
export function lockHolder(path: string): number | null {
  try {
    const holders = holdersOf(statSync(path).ino, readFileSync('/proc/locks', 'utf8'));
    const file = realpathSync(path);
    // A file on another file system may have the same inode number.
    return holders.find((pid) => hasOpen(pid, file)) ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the processes that hold a lock of an inode.
 * @param locks the list of Linux: `1: POSIX  ADVISORY  WRITE 4242 08:01:1311768 0 EOF`; the line of
 * a waiting process has an arrow.
 */
export const holdersOf = (inode: number, locks: string): number[] =>
  locks.split('\n').flatMap((line) => {
    const [, pid, its] = /^\d+: (?!->)\S+ +\S+ +\S+ +(\d+) \w+:\w+:(\d+) /.exec(line) ?? [];
    return its !== undefined && Number(its) === inode ? [Number(pid)] : [];
  });

function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return openFiles(folder).some((descriptor) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`) === file;
    } catch {
      return false;
    }
  });
}

function openFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
