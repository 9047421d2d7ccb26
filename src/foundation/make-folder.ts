import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A folder cannot be made, because of the place where it should be. The message gives the reason and the remedy. */
export class NoFolder extends Error {
  override readonly name = 'NoFolder';
  readonly syscall = 'mkdir';
  readonly code: string;
  readonly path: string;

  constructor(path: string, code: string, reason: string) {
    super(`The folder ${path} cannot be created: ${reason}; choose another one (${code})`);
    this.path = path;
    this.code = code;
  }
}

/**
 * Makes a folder, and the folders above it that are missing.
 *
 * Not `mkdirSync` with `recursive`: where a folder takes no entries and reports ENOENT, as /proc does, it takes the parent for
 * missing, makes the parent again, and never ends (what Node does with ENOENT there:
 * https://github.com/nodejs/node/issues/42808). The test of this file fails once Node has corrected that.
 * @param mode access rights of each folder that is made.
 * @returns the first folder that was made; undefined where all existed.
 * @throws {NoFolder} where something other than a folder stands in its place, or its parent takes no entries;
 * otherwise the file system's error.
 */
export function makeFolder(path: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let folder = resolve(path); !stands(folder, path); folder = dirname(folder)) missing.unshift(folder);
  return missing.filter((folder) => make(folder, mode))[0];
}

/**
 * Returns whether a folder exists.
 * @param wanted the folder that is to be made there, or below it.
 * @throws {NoFolder} where a file stands there.
 */
function stands(path: string, wanted: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
  throw new NoFolder(wanted, path === resolve(wanted) ? 'EEXIST' : 'ENOTDIR', `${path} is a file`);
}

/** @returns false where another process has made it meanwhile. */
function make(path: string, mode: number | undefined): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      if (stands(path, path)) return false;
      throw new NoFolder(path, code, 'its name is that of a broken link');
    }
    if (code !== 'ENOENT') throw error;
    const parent = dirname(path);
    if (stands(parent, path)) throw new NoFolder(path, code, `${parent} does not accept new folders`);
    // Another process removed the parent meanwhile.
    makeFolder(parent, mode);
    return make(path, mode);
  }
}
