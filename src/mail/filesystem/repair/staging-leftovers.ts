import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { MailPaths } from '../root/mail-paths.js';

const quarantine = 'quarantine';

/**
 * Clears what deliveries left in staging/ that did not come to their end. To be called under the lock of the index: what
 * is being delivered now is staged before its locks are taken, so a document is left alone until it is old.
 * @param stamp names the folder in quarantine; null removes instead.
 * @returns where things were.
 */
export function clearStaging(
  { staging }: MailPaths,
  stamp: string | null,
  isLeft: (path: string) => boolean,
): string[] {
  const left = readdirSync(staging)
    .filter((name) => name !== quarantine)
    .map((name) => join(staging, name))
    .filter(isLeft);
  for (const path of left)
    if (stamp === null) rmSync(path, { recursive: true, force: true });
    else renameSync(path, freeName(join(staging, quarantine, stamp), parse(path)));
  return left;
}

function freeName(folder: string, { name, ext }: { name: string; ext: string }): string {
  mkdirSync(folder, { recursive: true });
  for (let count = 0; ; count += 1) {
    const path = join(folder, `${name}${count === 0 ? '' : `-${count}`}${ext}`);
    if (!existsSync(path)) return path;
  }
}
