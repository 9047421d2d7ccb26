import { deniedPlace, thisUser } from './folder-access.js';

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
  const fault = code === 'EACCES' || code === 'EPERM' ? denied(own) : faults[code];
  return fault === undefined ? null : `${own}: ${fault} (${code})`;
}

/** The folder that is in the way, where rights on one are. */
function denied(path: string): string {
  const reason = path === '' ? null : deniedPlace(path, 'write');
  return `${reason ?? `${thisUser()} has no access to it`}; choose another place, or have its owner give access`;
}
