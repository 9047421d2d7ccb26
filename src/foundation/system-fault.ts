import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { UnusableFile } from './faults.js';

/** Faults of the machine, in words, with their remedies. */
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

/** Obstacles that keep a path that exists from being used, whatever the state of its disk. */
const obstacles: Readonly<Record<string, string>> = {
  EISDIR: 'a folder stands in its place; move it aside',
  ELOOP: 'it is a link that leads back to itself; remove it',
  ENAMETOOLONG: 'its path is too long; name another one',
  ENOTDIR: 'it is not a folder, or a part of its path is a file; choose another one',
};

/** @param path used when the error names none. @returns the path and its obstacle; null for any other kind of error. */
export function obstacleOf(error: unknown, path: string): string | null {
  const { code = '', path: own = path } = error as NodeJS.ErrnoException;
  const obstacle = obstacles[code];
  return obstacle === undefined ? null : `${own}: ${obstacle} (${code})`;
}

/** Makes the error for a file or folder that the machine does not let this program read, with the reason and the remedy. */
export function unreadable(path: string, error: unknown): UnusableFile {
  const { code = 'not known why' } = error as NodeJS.ErrnoException;
  const reason = isDenied(code) ? denied(path, 'read') : (obstacles[code] ?? faults[code] ?? 'look at it');
  return new UnusableFile(path, `cannot be read: ${reason} (${code})`);
}

const isDenied = (code: string): boolean => code === 'EACCES' || code === 'EPERM';

/** Names the folder that is in the way, where access rights are the reason. */
function denied(path: string, use: PlaceUse): string {
  const reason = path === '' ? null : deniedPlace(path, use);
  return `${reason ?? `${thisUser()} has no access to it`}; choose another place, or have its owner give access`;
}

/** The use of a place: reading in a folder, reading in it or making it where it is missing, or writing there. */
type PlaceUse = 'read' | 'make' | 'write';

/**
 * Returns why this user cannot use a place, as far as access rights are the reason: which folder is in the way, who
 * owns it, and who this user is. For a path that does not exist, the nearest folder above it decides, because the
 * missing ones would be made in it.
 * @returns a sentence without its full stop, such as `bob cannot use /root, which belongs to root`;
 * null where nothing is in the way
 */
export function deniedPlace(path: string, use: PlaceUse): string | null {
  const [nearest, sight] = nearestSeen(resolve(path));
  if (sight === 'missing' && use === 'read') return null;
  // The folder above a hidden path gives this user no access to anything in it.
  const writes = sight !== 'hidden' && (use === 'write' || sight === 'missing');
  const passes = statSync(nearest).isDirectory() ? constants.X_OK : 0;
  const mode = sight === 'hidden' ? passes : passes | (writes ? constants.W_OK : constants.R_OK);
  if (allows(nearest, mode)) return null;
  const verb = writes ? 'write to' : 'use';
  return `${thisUser()} cannot ${verb} ${nearest}, which belongs to ${ownerOf(nearest)}`;
}

/**
 * Returns the path itself, or the nearest one above it that can be examined, and whether the path is
 * missing or cannot be examined.
 */
function nearestSeen(path: string): [nearest: string, sight: 'there' | 'missing' | 'hidden'] {
  let hidden = false;
  for (let place = path; ; place = dirname(place))
    try {
      statSync(place);
      return [place, hidden ? 'hidden' : place === path ? 'there' : 'missing'];
    } catch (error) {
      // Other faults of a path are reported where it is used.
      if ((error as NodeJS.ErrnoException).code === 'EACCES') hidden = true;
      if (place === dirname(place)) throw error;
    }
}

function allows(place: string, mode: number): boolean {
  try {
    accessSync(place, mode);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

/** Returns the name of the user who runs this program; the user's number where there is no name, as in many containers. */
function thisUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** Names an owner only where the name is known without a query: users may come from a network. */
function ownerOf(place: string): string {
  const { uid } = statSync(place);
  if (uid === 0) return 'root';
  return uid === process.getuid?.() ? 'this user, with rights that do not allow it' : `user ${uid}`;
}
