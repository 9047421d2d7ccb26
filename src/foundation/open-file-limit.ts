import { readFileSync } from 'node:fs';

/** How many file descriptors this process may have; null where the system does not say or has no limit. */
export function openFileLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
