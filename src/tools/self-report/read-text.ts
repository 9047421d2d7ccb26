import { readdirSync, readFileSync } from 'node:fs';

/** Reads a file as text; null when it is not there. */
export const readText = (path: string): string | null => unlessAbsent(() => readFileSync(path, 'utf8'));

/** The names in a folder; none when it is not there. */
export const namesIn = (folder: string): readonly string[] => unlessAbsent(() => readdirSync(folder)) ?? [];

function unlessAbsent<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // ESRCH: what /proc answers for a process that ends meanwhile.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].includes(code)) return null;
    throw error;
  }
}
