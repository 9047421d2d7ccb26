import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { UnusableFile } from '../foundation/faults.js';
import { makeFolder } from '../foundation/make-folder.js';
import { openDatabase } from '../foundation/open-database.js';
import { type StoreName, storageFaultOf } from './storage-fault.js';
import type { Schema } from './store.js';

/** better-sqlite3 blocks the event loop while it waits for a lock: 20 ms at most. GroupCommit retries. */
const lockMilliseconds = 20;

/** The whole content of a store whose file was removed, until it is in its place again. */
export const rescuedCopy = (path: string): string => `${path}.rescued`;

/**
 * Opens a database of ours, with a write-ahead log that {@link WriteAheadLog} puts on disk: a commit that returns is not there yet.
 * @throws {UnusableFile} when the file is no database, is damaged, or has tables of another shape. It is left as it is.
 */
export function openStore(store: StoreName, schemas: readonly Schema[]): Database.Database {
  const { path } = store;
  let database: Database.Database | undefined;
  try {
    makeFolder(dirname(path), 0o700);
    takeRescuedCopy(store);
    database = openDatabase(path, { timeout: lockMilliseconds });
    chmodSync(path, 0o600);
    database.exec('PRAGMA journal_mode = WAL');
    // SQLite then syncs only where a crash could otherwise leave a database that is neither old nor new.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
    // 2 MB: the system has the file in memory anyway, and what is read twice is small.
    database.exec('PRAGMA cache_size = -2000');
    for (const { tables } of schemas) database.exec(tables);
    for (const { columns = {} } of schemas) requireColumns(path, database, columns);
    for (const { indexes } of schemas) if (indexes !== undefined) database.exec(indexes);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof UnusableFile) throw error;
    throw unusable(store, error as Error);
  }
}

/** A process left the copy that ended before it could put it in place. */
function takeRescuedCopy({ path, program }: StoreName): void {
  const copy = rescuedCopy(path);
  if (!existsSync(copy)) return;
  // Which of the two holds more, a start cannot tell: the old file may lack its log, or be a backup put there since.
  if (existsSync(path))
    throw new UnusableFile(
      path,
      `${copy} is beside it: a full copy that an earlier ${program} saved when a disk failed. To use the copy, remove ${path}, ${path}-wal and ${path}-shm; to keep this file, move the copy aside`,
    );
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(copy, path);
}

/** What a database that cannot be opened is refused with. */
export function unusable(store: StoreName, error: Error): UnusableFile {
  const fault = storageFaultOf(error, store);
  return fault && fault.code !== 'damaged'
    ? new UnusableFile(store.path, `${error.message}; ${fault.remedy}`)
    : new UnusableFile(
        store.path,
        `${error.message}; move it aside to start with an empty ${store.thing}, or restore it from a backup`,
      );
}

function requireColumns(
  path: string,
  database: Database.Database,
  columns: NonNullable<Schema['columns']>,
): void {
  for (const [table, wanted] of Object.entries(columns)) {
    const present = new Set(
      database
        .prepare<[], { name: string }>(`PRAGMA table_info(${table})`)
        .all()
        .map((column) => column.name),
    );
    const missing = wanted.filter((name) => !present.has(name));
    if (missing.length === 0) continue;
    throw new UnusableFile(
      path,
      `table ${table} lacks ${missing.join(', ')}; it was written by another program, start with a fresh session root`,
    );
  }
}
