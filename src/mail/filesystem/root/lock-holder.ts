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

/** The holders that are gone ({@link isGone}). */
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

/** What is known of a lock file whose holder wrote nothing but the line of the format. */
interface PlainLock {
  line: string;
  ageMilliseconds: number;
}

/** No work under a lock takes so long, not even the repair of a very large root; and ours tell every minute that they go on. */
const oldMilliseconds = 10 * 60_000;

/**
 * Whether the holder of a lock is gone that gives no more evidence than its pid. Age alone proves nothing, and neither does
 * a pid that is unknown here, for the holder may run in another container: it takes both.
 */
export function isLeftBehind(
  { line, ageMilliseconds }: PlainLock,
  isNobodys: (pid: number) => boolean,
): boolean {
  const pid = /^pid=(\d{1,10}) /.exec(line)?.[1];
  return pid !== undefined && ageMilliseconds > oldMilliseconds && isNobodys(Number(pid));
}

/** What is known of the holder of a lock of ours. */
interface KnownHolder {
  /** Whether its pid means what it means here: the same boot of one machine, and the same container of it. */
  isHere: boolean;
  hasEnded: () => boolean;
  isAlive: () => boolean;
  /** Since it last told that it goes on. */
  silentMilliseconds: number;
}

/**
 * Whether a holder is gone. Who can be judged from here is gone when it has ended; of others, such as one of an earlier boot,
 * of another container or of another user whose processes are hidden, ten minutes without a word are the only evidence.
 */
export const isGone = ({ isHere, hasEnded, isAlive, silentMilliseconds }: KnownHolder): boolean =>
  (isHere && hasEnded()) || (silentMilliseconds > oldMilliseconds && !isAlive());
