import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { compiledSqlite, packageRoot } from './version.js';

/**
 * Opens a database with the SQLite of this Node: better-sqlite3 13 from Node 22 on, which brings a ready-made addon for each usual
 * machine, and better-sqlite3 12 on Node 20, where 13 ends the process with a segmentation fault and 12 has to be compiled.
 *
 * @throws {NoSqlite}, or the library's error, such as for a path that cannot be opened.
 */
export function openDatabase(path: string, options: Database.Options = {}): Database.Database {
  const Sqlite = requireHere(requireSqlite()) as typeof Database;
  return new Sqlite(path, options);
}

/** SQLite is not ready on this machine, or its addon cannot be loaded. */
export class NoSqlite extends Error {
  override readonly name = 'NoSqlite';
}

/** Returns the folder of better-sqlite3 for this Node. @throws {NoSqlite} */
export function requireSqlite(): string {
  const found = findSqlite();
  if (found !== null) return found;
  throw new NoSqlite(
    needsCompiledSqlite(process.versions.node)
      ? `SQLite is not compiled for Node ${process.versions.node} yet: run \`houmao-mgr setup\``
      : `${packageRoot} has no SQLite for Node ${process.versions.node} on ${process.platform} ${process.arch}: install Houmao again with this Node and without --omit=optional`,
  );
}

/** Decides which of the two a Node takes. @param node its version, such as `20.20.2`. */
export const needsCompiledSqlite = (node: string): boolean => Number(node.split('.')[0]) < 22;

/**
 * Returns the folder where `houmao-mgr setup` compiles SQLite for this Node. It is the user's, since the package may belong to
 * root, and has a name per binary interface, since an addon works with one.
 */
export const ownSqliteFolder = (): string =>
  join(
    homedir(),
    '.houmao',
    'sqlite',
    `node-${process.versions.modules}-${process.platform}-${process.arch}`,
  );

/** Returns the folder of better-sqlite3 for this Node; null where there is none yet. */
export function findSqlite(): string | null {
  if (!needsCompiledSqlite(process.versions.node))
    return packageFolder(packageRoot, 'better-sqlite3-prebuilt');
  // A project that Houmao is installed in may have a version of its own there.
  const candidates = [packageRoot, ownSqliteFolder()].map((from) => packageFolder(from, 'better-sqlite3'));
  return candidates.find((folder) => folder !== null && isCompiled(folder)) ?? null;
}

const requireHere = createRequire(import.meta.url);

/** Returns the folder of a package as modules below `from` find it. */
function packageFolder(from: string, name: string): string | null {
  try {
    return dirname(createRequire(join(from, 'package.json')).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

function isCompiled(folder: string): boolean {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version === compiledSqlite && existsSync(join(folder, 'build', 'Release', 'better_sqlite3.node'));
}
