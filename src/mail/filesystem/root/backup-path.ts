import { lstatSync } from 'node:fs';
import { toCompactMailStamp } from '../../message/mail-time.js';

/** Where a file is kept that cannot be used: beside it, under a name that nothing has yet. @param why a part of the name. */
export function backupPath(path: string, why: string, now: Date): string {
  const stamp = toCompactMailStamp(now);
  for (let count = 0; ; count += 1) {
    const name = `${path}.${why}-${stamp}${count === 0 ? '' : `-${count}`}.bak`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}
