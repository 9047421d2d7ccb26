import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A folder cannot be made, because of where it was to be. The message says it, with the remedy. */
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
 * Makes a folder, and those above it where there are none.
 *
 * Not `mkdirSync` with `recursive`: where a folder takes no entries and says ENOENT, as /proc does, that takes its parent for missing,
 * makes it again, and so on for ever (what Node does with ENOENT there: https://github.com/nodejs/node/issues/42808). The test of this
 * file tells when this can go.
 * @param mode of each folder that is made.
 * @returns the first one that was made; undefined where all were there.
 * @throws {NoFolder} where something else stands in its place, or its parent takes none; else the file system's error.
 */
export function makeFolder(path: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let folder = resolve(path); !stands(folder, path); folder = dirname(folder)) missing.unshift(folder);
  return missing.filter((folder) => make(folder, mode))[0];
}

/** @throws {NoFolder} where a file stands there. @param wanted what is to be made there, or below it. */
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
    // It was taken away meanwhile.
    makeFolder(parent, mode);
    return make(path, mode);
  }
}
