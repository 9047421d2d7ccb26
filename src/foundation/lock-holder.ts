import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';

/** The process that holds a lock of a file; null where that cannot be told: elsewhere than on Linux, and of another user's. */
export function lockHolder(path: string): number | null {
  try {
    const holders = holdersOf(statSync(path).ino, readFileSync('/proc/locks', 'utf8'));
    const file = realpathSync(path);
    // Other file systems have the same inode.
    return holders.find((pid) => hasOpen(pid, file)) ?? null;
  } catch {
    return null;
  }
}

/** @param locks as Linux lists them: `1: POSIX  ADVISORY  WRITE 4242 08:01:1311768 0 EOF`; who waits has an arrow. */
export const holdersOf = (inode: number, locks: string): number[] =>
  locks.split('\n').flatMap((line) => {
    const [, pid, its] = /^\d+: (?!->)\S+ +\S+ +\S+ +(\d+) \w+:\w+:(\d+) /.exec(line) ?? [];
    return its !== undefined && Number(its) === inode ? [Number(pid)] : [];
  });

function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return openFiles(folder).some((descriptor) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`) === file;
    } catch {
      return false;
    }
  });
}

function openFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
