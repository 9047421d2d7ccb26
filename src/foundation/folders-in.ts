import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unreadable } from './system-fault.js';

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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
}
