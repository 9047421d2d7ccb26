import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../../foundation/folders-in.js';
import { newUuid } from '../../../foundation/ids.js';
import {
  hasSurelyEnded,
  identify,
  isAlive,
  type ProcessIdentity,
} from '../../../foundation/process-identity.js';
import { isGone } from './left-lock.js';
import type { MailPaths } from './mail-paths.js';

/** Pids mean something only on one machine since it started, and in one container of it. */
const surroundings = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return nowhere;
  }
};

const nowhere = 'unknown';

/** The file of a holder, which its locks are further names of. */
export interface Holder {
  path: string;
  inode: bigint;
}

/** Numbers of inodes may be larger than what a double can tell apart. */
export const inodeOf = (path: string): bigint | null =>
  lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null;

/** The folder of holders, for everybody who may lock: with the rights of the folder of locks, whoever makes it. */
export function makeHolders({ holders, addressLocks }: MailPaths): void {
  try {
    mkdirSync(holders);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  chmodSync(holders, statSync(addressLocks).mode & 0o7777);
}

/**
 * Makes the file that locks will be names of. A lock file says no more of its holder than a pid, as the format wants, and a
 * pid may be another process by now. So ours are second names of a file that has the holder's whole identity in its name: who
 * finds the lock finds that file by its inode, and a lock is never there without it.
 * @param line what stands in each of them.
 */
export function writeHolder(paths: MailPaths, line: string): Holder {
  const own = identify(process.pid);
  const name = [surroundings(), process.pid, encodeURIComponent(own?.startedAt ?? ''), newUuid()].join('~');
  const path = join(paths.holders, name);
  makeHolders(paths);
  writeFileSync(path, line, { flag: 'wx' });
  return { path, inode: inodeOf(path) ?? 0n };
}

/** Tells that a holder goes on. */
export const touchHolder = ({ path }: Holder, now: Date): void => utimesSync(path, now, now);

/** The holders that are gone (left-lock.ts). */
export function goneHolders(paths: MailPaths, now: Date): Holder[] {
  const here = surroundings();
  return namesIn(paths.holders).flatMap((name) => {
    const [where, pid, startedAt, drawn] = name.split('~');
    if (where === undefined || drawn === undefined || startedAt === undefined) return [];
    const path = join(paths.holders, name);
    const file = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (!file) return [];
    const process: ProcessIdentity = { pid: Number(pid), startedAt: decodeURIComponent(startedAt) };
    const known = {
      ...{ isHere: where === here && here !== nowhere, hasEnded: () => hasSurelyEnded(process) },
      ...{ isAlive: () => isAlive(process), silentMilliseconds: now.getTime() - Number(file.mtimeMs) },
    };
    return isGone(known) ? [{ path, inode: file.ino }] : [];
  });
}
