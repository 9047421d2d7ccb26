import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { UnusableFile } from '../foundation/faults.js';
import { makeFolder } from '../foundation/make-folder.js';
import { NoSqlite, openDatabase } from '../foundation/open-database.js';
import { type StoreName, storageFaultOf } from './storage-fault.js';
import type { TableSchema } from './store.js';

/** The time better-sqlite3 may block the event loop while it waits for a lock. GroupCommit retries. */
const lockMilliseconds = 20;

/** The path of the copy that holds the whole content of a store whose file was removed, until the copy is moved into place. */
export const rescuedCopy = (path: string): string => `${path}.rescued`;

/**
 * Opens a database of ours, with a write-ahead log that {@link WriteAheadLog} syncs: a commit that returns is not on disk yet.
 * @throws {UnusableFile} when the file is no database, is damaged, or has tables of another shape. It is left unchanged.
 */
export function openStore(store: StoreName, schemas: readonly TableSchema[]): Database.Database {
  const { path } = store;
  let database: Database.Database | undefined;
  try {
    makeFolder(dirname(path), 0o700);
    takeRescuedCopy(store);
    database = openDatabase(path, { timeout: lockMilliseconds });
    chmodSync(path, 0o600);
    database.exec('PRAGMA journal_mode = WAL');
    // With NORMAL, SQLite syncs only where a crash could otherwise leave a database that is neither the old nor the new one.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
    // 2 MB is enough: the system keeps the file in memory anyway, and little is read twice.
    database.exec('PRAGMA cache_size = -2000');
    for (const { tables } of schemas) database.exec(tables);
    for (const { columns = {} } of schemas) requireColumns(path, database, columns);
    for (const { indexes } of schemas) if (indexes !== undefined) database.exec(indexes);
    return database;
  } catch (error) {
    database?.close();
    // A machine without SQLite says nothing about the file: that must not be moved aside.
    if (error instanceof UnusableFile || error instanceof NoSqlite) throw error;
    throw unusable(store, error as Error);
  }
}

/** Moves a rescued copy into place, if a process left one because it ended before it could do so itself. */
function takeRescuedCopy({ path, program }: StoreName): void {
  const copy = rescuedCopy(path);
  if (!existsSync(copy)) return;
  // A start cannot know which file holds more: the old file may lack its log, or be a backup that was put there since.
  if (existsSync(path))
    throw new UnusableFile(
      path,
      `${copy} is beside it: a full copy that an earlier ${program} saved when a disk failed. To use the copy, remove ${path}, ${path}-wal and ${path}-shm; to keep this file, move the copy aside`,
    );
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(copy, path);
}

/** Returns the error for a database that cannot be opened. */
export function unusable(store: StoreName, error: Error): UnusableFile {
  const fault = storageFaultOf(error, store);
  return fault && fault.code !== 'damaged'
    ? new UnusableFile(store.path, `${fault.wrong}; ${fault.remedy}`)
    : new UnusableFile(
        store.path,
        `${error.message}; move it aside to start with an empty ${store.thing}, or restore it from a backup`,
      );
}

function requireColumns(
  path: string,
  database: Database.Database,
  columns: NonNullable<TableSchema['columns']>,
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
