import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm';
/** The type of such a file system, as statfs(2) tells it. */
const tmpfs = 0x01021994;

/** @returns a folder whose files are in memory; the usual temporary one where there is none with so many bytes of room. */
export function folderInMemory(room: number): string {
  try {
    accessSync(inMemory, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(inMemory);
    return type === tmpfs && bavail * bsize >= room ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}
