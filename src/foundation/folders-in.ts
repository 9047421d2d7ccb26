import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UnusableFile } from './unusable-file.js';

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is no folder, or a part of its path is a file; name another one',
  EACCES: 'access is denied; ask its owner for access, or name another one',
};

/**
 * The names of what stands in a folder; none where there is no such folder.
 * @throws the file system's error, which names the folder, where that is not known: it cannot be read.
 */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The folders that stand in one, as paths in the order of their names; none where there is no such folder.
 * @throws {UnusableFile} where that is not known: it cannot be read.
 */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UnusableFile(folder, `cannot be read: ${reasons[code] ?? 'look at it'} (${code})`);
  }
}
