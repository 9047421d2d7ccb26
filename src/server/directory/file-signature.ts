import { statSync } from 'node:fs';

/** Tells one state of a file from the next; null where there is no file. */
export function fileSignature(path: string): string | null {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return code === 'ENOENT' ? null : code;
  }
}
