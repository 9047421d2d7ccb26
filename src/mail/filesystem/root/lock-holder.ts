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
import { namesIn } from '../../../foundation/folders.js';
import { newUuid } from '../../../foundation/ids.js';
import { hasSurelyEnded, identify, isAlive, type ProcessIdentity } from '../../../foundation/processes.js';
import type { MailPaths } from './mail-paths.js';

/** Names the boot of the machine and the container: a pid has a meaning only within both. */
const surroundings = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return nowhere;
  }
};

const nowhere = 'unknown';

/** The file of a holder; its locks are further names of this file. */
export interface Holder {
  path: string;
  inode: bigint;
}

/** Returns the inode as a bigint: its number may be larger than a double can represent. */
export const inodeOf = (path: string): bigint | null =>
  lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null;

/**
 * Makes the folder of holders, for every user who may lock: it gets the access rights of the folder of
 * locks, whichever process makes it.
 */
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
 * Makes the file that locks will be names of. A lock file contains nothing of its holder but a pid, as the format requires, and a
 * pid may belong to another process by now. So our locks are second names of a file whose own name has the holder's whole
 * identity: a process that finds the lock finds that file by its inode, and a lock never exists without it.
 * @param line the content of each of them.
 */
export function writeHolder(paths: MailPaths, line: string): Holder {
  const own = identify(process.pid);
  const name = [surroundings(), process.pid, encodeURIComponent(own?.startedAt ?? ''), newUuid()].join('~');
  const path = join(paths.holders, name);
  makeHolders(paths);
  writeFileSync(path, line, { flag: 'wx' });
  return { path, inode: inodeOf(path) ?? 0n };
}

/** Signals that a holder is still at work. */
export const touchHolder = ({ path }: Holder, now: Date): void => utimesSync(path, now, now);

/** Returns the holders that are gone ({@link isGone}). */
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
      isHere: where === here && here !== nowhere,
      hasEnded: () => hasSurelyEnded(process),
      isAlive: () => isAlive(process),
      silentMilliseconds: now.getTime() - Number(file.mtimeMs),
    };
    return isGone(known) ? [{ path, inode: file.ino }] : [];
  });
}

/** The facts about a lock file whose holder wrote only the line of the format. */
interface PlainLock {
  line: string;
  ageMilliseconds: number;
}

/**
 * No work under a lock takes this long, not even the repair of a very large root, and our holders
 * give a sign of life every minute.
 */
const oldMilliseconds = 10 * 60_000;

/**
 * Decides whether the holder of a lock is gone where its pid is the only evidence. Age alone proves nothing, and neither does a
 * pid that no process has here, since the holder may run in another container: both are required.
 */
export function isLeftBehind(
  { line, ageMilliseconds }: PlainLock,
  isPidUnused: (pid: number) => boolean,
): boolean {
  const pid = /^pid=(\d{1,10}) /.exec(line)?.[1];
  return pid !== undefined && ageMilliseconds > oldMilliseconds && isPidUnused(Number(pid));
}

/** The facts about the holder of one of our locks. */
interface KnownHolder {
  /** Whether its pid has the same meaning here: the same boot of the same machine, and the same container. */
  isHere: boolean;
  hasEnded: () => boolean;
  isAlive: () => boolean;
  /** Since its last sign of life. */
  silentMilliseconds: number;
}

/**
 * Decides whether a holder is gone. One that can be checked from here is gone when it has ended; for others, such as
 * those of an earlier boot, of another container or of another user whose processes are hidden, ten minutes without a
 * sign of life are the only evidence.
 */
export const isGone = ({ isHere, hasEnded, isAlive, silentMilliseconds }: KnownHolder): boolean =>
  (isHere && hasEnded()) || (silentMilliseconds > oldMilliseconds && !isAlive());
