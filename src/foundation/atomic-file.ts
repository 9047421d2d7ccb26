import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

let counter = 0;

/**
 * Replaces a file in one step: temp sibling, then rename. A reader sees the old content or the new, never half of it.
 * @param options.durable fsync before the rename, for files that must survive a power loss.
 * @throws the file system's error, with the path in it.
 */
export function writeFileAtomic(
  path: string,
  content: string,
  options: { durable?: boolean; mode?: number } = {},
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  counter += 1;
  const temporary = `${path}.${process.pid}.${counter}.tmp`;
  try {
    const file = openSync(temporary, 'wx', options.mode ?? 0o600);
    try {
      // Writes all of it, also where the disk takes it in pieces.
      writeFileSync(file, content);
      if (options.durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
