import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnusableFile } from '../foundation/faults.js';
import { openDatabase } from '../foundation/open-database.js';
import { rescuedCopy, unusable } from './open-store.js';
import { type StoreName, StoreUnavailable, storageFault, storageFaultOf } from './storage-fault.js';
import type { Store, TableSchema } from './store.js';
import { WatchedDatabase } from './watched-database.js';

/** The time to wait for a program that is opening or closing the store at this moment. */
const lockMilliseconds = 2000;
const mostTries = 5;

/**
 * Runs `work` on a copy of a store that this process does not have open, and removes the copy afterwards. Nothing is created or
 * written beside the store, whether or not another program has it open.
 * @throws {UnusableFile} when it cannot be copied.
 */
export async function onCopy<T>(store: StoreName, work: (copy: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-read-'));
  try {
    const copy = join(folder, 'store.sqlite');
    await copyState(store, copy);
    return await work(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Reads a copy of a store; the copy is first brought to the current schema, as at a start.
 * @throws {UnusableFile} when the store is no database, is damaged, or belongs to another program; it is left unchanged.
 */
export function readCopy<T>(
  name: StoreName,
  schemas: readonly TableSchema[],
  work: (store: Store) => Promise<T>,
): Promise<T> {
  return onCopy(name, async (copy) => {
    let database: WatchedDatabase | undefined;
    try {
      requireOurs(copy, schemas);
      database = new WatchedDatabase({ ...name, path: copy }, schemas, () => undefined);
      return await work(database);
    } catch (error) {
      throw ofSource(error, copy, name);
    } finally {
      database?.close();
    }
  });
}

/** Copies a store in its state between two transactions of the program that writes it. */
async function copyState(store: StoreName, target: string): Promise<void> {
  const { path } = store;
  if (existsSync(rescuedCopy(path)))
    throw new UnusableFile(
      path,
      `${rescuedCopy(path)} is beside it: the whole content as an earlier ${store.program} wrote it again when a disk failed`,
      `start the ${store.program}, which takes it or says what to do`,
    );
  try {
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (isShared(path)) return await backUp(path, target);
      if (copyFiles(path, target)) return;
    }
  } catch (error) {
    const { code = '', dest } = error as NodeJS.ErrnoException & { dest?: string };
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new UnusableFile(
        path,
        `there is no room for a copy of it in ${dest ?? target}`,
        'make room there, or set TMPDIR to another folder',
      );
    throw storageFaultOf(error, store) ? unusable(store, error as Error) : error;
  }
  throw new UnusableFile(path, 'another program changes it now', 'ask again');
}

/** Returns whether a process has the store open, or was killed while it had. */
const isShared = (path: string): boolean => existsSync(`${path}-wal`) && existsSync(`${path}-shm`);

/**
 * Copies under SQLite's own locks, which do not make a writer wait. When both files are there, a read-only connection creates
 * no files; the only thing it may rewrite is the index of the log in `-shm`, or an index in memory where it may not write
 * there.
 */
async function backUp(path: string, target: string): Promise<void> {
  const source = openDatabase(path, { readonly: true, fileMustExist: true, timeout: lockMilliseconds });
  try {
    // The copy is made from one state; otherwise it would start again at each change.
    source.exec('BEGIN');
    source.prepare('SELECT 1 FROM sqlite_schema').get();
    await source.backup(target);
  } finally {
    source.close();
  }
}

/**
 * Copies the files themselves, since any connection to a closed store would create `-wal` and `-shm` beside it and leave them
 * there.
 * @param copyFile copies one file.
 * @returns false when another process began to use the store during the copy.
 */
export function copyFiles(path: string, target: string, copyFile = copyFileSync): boolean {
  const before = marksOf(path);
  for (const suffix of ['', '-wal']) {
    rmSync(target + suffix, { force: true });
    if (suffix !== '' && !existsSync(path + suffix)) continue;
    copyFile(path + suffix, target + suffix);
    chmodSync(target + suffix, 0o600);
  }
  return marksOf(path) === before;
}

/** Returns values that change when a process opens the store, and when the store is written. */
const marksOf = (path: string): string =>
  ['', '-wal', '-shm']
    .map((suffix) => statSync(path + suffix, { bigint: true, throwIfNoEntry: false }))
    .map((status) => (status ? `${status.ino} ${status.size} ${status.ctimeNs}` : 'none'))
    .join(', ');

/** Refuses the database of another program. Opening adds missing tables, so it would otherwise look like an empty store. */
function requireOurs(copy: string, schemas: readonly TableSchema[]): void {
  const database = openDatabase(copy);
  try {
    const present = database
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
    const wanted = schemas.flatMap(({ columns = {} }) => Object.keys(columns));
    if (present.length > 0 && !wanted.some((name) => present.includes(name)))
      throw new UnusableFile(
        copy,
        `it has no table ${wanted.join(' or ')}; it was written by another program`,
      );
  } finally {
    database.close();
  }
}

/** Returns the same error, but about the store that was copied. */
function ofSource(error: unknown, copy: string, name: StoreName): unknown {
  if (error instanceof UnusableFile && error.path === copy)
    return new UnusableFile(name.path, error.reason, error.remedy);
  if (error instanceof StoreUnavailable)
    return new UnusableFile(name.path, 'it is damaged', storageFault('damaged', name).remedy);
  return storageFaultOf(error, name) ? unusable(name, error as Error) : error;
}
