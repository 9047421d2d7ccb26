import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { openDatabase } from '../foundation/open-database.js';
import { UnusableFile } from '../session/file-schema.js';
import { ownTables, requiredColumns, seedTables } from './schema.js';
import { storageFaultOf } from './storage/storage-fault.js';

export type { Database } from 'better-sqlite3';

/** Nobody waits longer for a lock with the event loop standing still; who has time asks again later. */
const lockMilliseconds = 20;

/** The whole content of a queue whose file was removed, until it is in its place again. */
export const rescuedCopy = (path: string): string => `${path}.rescued`;

/**
 * Opens `queue.sqlite`: WAL and `synchronous=FULL`, so that a commit is on disk when it returns.
 * @throws {UnusableFile} when the file is no database, is damaged, or has tables of another shape. It is left as it is.
 */
export function openQueueDatabase(path: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // A gateway that ended before it could put it there.
    if (!existsSync(path) && existsSync(rescuedCopy(path))) renameSync(rescuedCopy(path), path);
    database = openDatabase(path, { timeout: lockMilliseconds });
    chmodSync(path, 0o600);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec(seedTables);
    requireColumns(path, database);
    database.exec(ownTables);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof UnusableFile) throw error;
    throw unusable(path, error as Error);
  }
}

function unusable(path: string, error: Error): UnusableFile {
  const fault = storageFaultOf(error, path);
  return fault && fault.code !== 'damaged'
    ? new UnusableFile(path, `${error.message}; ${fault.remedy}`)
    : new UnusableFile(
        path,
        `${error.message}; move it aside to start with an empty queue, or restore it from a backup`,
      );
}

function requireColumns(path: string, database: Database.Database): void {
  for (const [table, wanted] of Object.entries(requiredColumns)) {
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
