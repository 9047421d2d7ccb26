import { deniedPlace, type PlaceUse, thisUser } from './folder-access.js';
import { UnusableFile } from './unusable-file.js';

/** What the machine refuses, in words, and what to do about it. */
const faults: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full; make room on it',
  EDQUOT: 'the quota of its disk is used up; make room on it',
  EROFS: 'its file system is read-only; make it writable again',
  EMFILE: 'no file descriptors are left; raise the limit (ulimit -n)',
  ENFILE: 'no file descriptors are left on this machine; close what holds them',
  EIO: 'the disk reports an error; look at it',
};

/**
 * @param path used when the error names none.
 * @returns the path, what is wrong and the remedy; null when the error does not come from the machine.
 */
export function systemFaultOf(error: unknown, path: string): string | null {
  const { code = '', path: own = path } = error as NodeJS.ErrnoException;
  const fault = isDenied(code) ? denied(own, 'write') : faults[code];
  return fault === undefined ? null : `${own}: ${fault} (${code})`;
}

/** What stands in the way of using a path that is there, whatever its disk does. */
const obstacles: Readonly<Record<string, string>> = {
  EISDIR: 'a folder stands in its place; move it aside',
  ELOOP: 'it is a link that leads back to itself; remove it',
  ENAMETOOLONG: 'its path is too long; name another one',
  ENOTDIR: 'it is not a folder, or a part of its path is a file; choose another one',
};

/** @param path used when the error names none. @returns what stands in the way of a path; null when nothing of that kind does. */
export function obstacleOf(error: unknown, path: string): string | null {
  const { code = '', path: own = path } = error as NodeJS.ErrnoException;
  const obstacle = obstacles[code];
  return obstacle === undefined ? null : `${own}: ${obstacle} (${code})`;
}

/** A file or folder that the machine does not let us read, with the reason and the remedy. */
export function unreadable(path: string, error: unknown): UnusableFile {
  const { code = 'not known why' } = error as NodeJS.ErrnoException;
  const reason = isDenied(code) ? denied(path, 'read') : (obstacles[code] ?? faults[code] ?? 'look at it');
  return new UnusableFile(path, `cannot be read: ${reason} (${code})`);
}

const isDenied = (code: string): boolean => code === 'EACCES' || code === 'EPERM';

/** The folder that is in the way, where rights on one are. */
function denied(path: string, use: PlaceUse): string {
  const reason = path === '' ? null : deniedPlace(path, use);
  return `${reason ?? `${thisUser()} has no access to it`}; choose another place, or have its owner give access`;
}
