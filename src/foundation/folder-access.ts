import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

/** The use of a place: reading in a folder, the same or making it where it is missing, or writing there. */
export type PlaceUse = 'read' | 'make' | 'write';

/**
 * Why this user cannot use a place, as far as rights are the reason: which folder is in the way, whose it is, and who this is. Of a
 * path that is not there, the nearest folder above it decides, in which the missing ones would be made.
 * @returns a sentence without its end, such as `bob cannot use /root, which belongs to root`; null where nothing is in the way
 */
export function deniedPlace(path: string, use: PlaceUse): string | null {
  const [nearest, sight] = nearestSeen(resolve(path));
  if (sight === 'missing' && use === 'read') return null;
  // Above what cannot be looked at stands a folder that lets this user through to nothing.
  const writes = sight !== 'hidden' && (use === 'write' || sight === 'missing');
  const passes = statSync(nearest).isDirectory() ? constants.X_OK : 0;
  const mode = sight === 'hidden' ? passes : passes | (writes ? constants.W_OK : constants.R_OK);
  if (allows(nearest, mode)) return null;
  const verb = writes ? 'write to' : 'use';
  return `${thisUser()} cannot ${verb} ${nearest}, which belongs to ${ownerOf(nearest)}`;
}

/** The path itself, or the nearest one above it that can be looked at, and whether the path is missing or cannot be looked at. */
function nearestSeen(path: string): [nearest: string, sight: 'there' | 'missing' | 'hidden'] {
  let hidden = false;
  for (let place = path; ; place = dirname(place))
    try {
      statSync(place);
      return [place, hidden ? 'hidden' : place === path ? 'there' : 'missing'];
    } catch (error) {
      // Other faults of a path are named where it is used.
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

/** The name of the user who runs this program; its number where it has none, as in many containers. */
export function thisUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** A name only where it is known without asking: users may come from a network. */
function ownerOf(place: string): string {
  const { uid } = statSync(place);
  if (uid === 0) return 'root';
  return uid === process.getuid?.() ? 'this user, with rights that do not allow it' : `user ${uid}`;
}
