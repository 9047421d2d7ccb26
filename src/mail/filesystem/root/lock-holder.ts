import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newUuid } from '../../../foundation/ids.js';
import { identify, isAlive, type ProcessIdentity } from '../../../foundation/process-identity.js';
import type { MailPaths } from './mail-paths.js';

/** Pids mean something only on one machine since it started, and in one container of it. */
const surroundings = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return 'unknown';
  }
};

/**
 * Makes the file that locks will be names of. A lock file says no more of its holder than a pid, as the format wants, and a
 * pid may be another process by now. So ours are second names of a file that has the holder's whole identity in its name: who
 * finds the lock finds that file by its inode, and a lock is never there without it.
 * @param line what stands in each of them.
 */
export function writeHolder(paths: MailPaths, line: string): string {
  const own = identify(process.pid);
  const name = [surroundings(), process.pid, encodeURIComponent(own?.startedAt ?? ''), newUuid()].join('~');
  const path = join(paths.holders, name);
  mkdirSync(paths.holders, { recursive: true });
  writeFileSync(path, line, { flag: 'wx' });
  return path;
}

export interface LeftHolder {
  path: string;
  inode: number;
}

/** The holders that certainly have ended. One of another machine or container is never judged. */
export function endedHolders(paths: MailPaths): LeftHolder[] {
  const here = surroundings();
  if (here === 'unknown') return [];
  return namesIn(paths.holders).flatMap((name) => {
    const [where, pid, startedAt, drawn] = name.split('~');
    if (where !== here || drawn === undefined || startedAt === undefined) return [];
    const holder: ProcessIdentity = { pid: Number(pid), startedAt: decodeURIComponent(startedAt) };
    const path = join(paths.holders, name);
    const file = isAlive(holder) ? undefined : lstatSync(path, { throwIfNoEntry: false });
    return file ? [{ path, inode: file.ino }] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
