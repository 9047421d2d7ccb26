import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.js';
import { openDatabase } from './open-database.js';

/** Held until the process ends or {@link DirectoryLock.release} is called; the kernel frees it on a crash. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes an exclusive lock file. SQLite's lock is used because the queue needs it to work on every platform and file
 * system anyway, and because it ends with its process.
 * @param mode access rights of the file; null where whoever made it has given it some.
 * @param patienceMilliseconds for how long it is waited for; the event loop waits, too.
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
