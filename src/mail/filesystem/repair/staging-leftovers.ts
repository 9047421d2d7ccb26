import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { makeFolder } from '../../../foundation/make-folder.js';
import { displacedPrefix } from '../registration/entry-on-disk.js';
import type { MailPaths } from '../root/mail-paths.js';

/**
 * Clears what deliveries left in staging/ that did not come to their end. To be called under the lock of the index: what
 * is being delivered now is staged before its locks are taken, so a document is left alone until it is old.
 * @param stamp names the folder in quarantine.
 * @param keeps false removes instead, but for a mailbox that was moved away: nothing else may know what was read in it.
 * @returns where things were.
 */
export function clearStaging(
  { staging, quarantine }: MailPaths,
  { stamp, keeps, isLeft }: { stamp: string; keeps: boolean; isLeft: (path: string) => boolean },
): string[] {
  const left = readdirSync(staging)
    .map((name) => join(staging, name))
    .filter((path) => path !== quarantine)
    .filter(isLeft);
  for (const path of left)
    if (keeps || basename(path).startsWith(displacedPrefix))
      renameSync(path, freeName(join(quarantine, stamp), parse(path)));
    else rmSync(path, { recursive: true, force: true });
  return left;
}

function freeName(folder: string, { name, ext }: { name: string; ext: string }): string {
  makeFolder(folder);
  for (let count = 0; ; count += 1) {
    const path = join(folder, `${name}${count === 0 ? '' : `-${count}`}${ext}`);
    if (!existsSync(path)) return path;
  }
}
