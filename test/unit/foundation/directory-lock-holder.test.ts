import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdersOf, lockHolder, tryLock } from '../../../src/foundation/directory-lock.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const locks = `1: POSIX  ADVISORY  WRITE 1042 08:01:77 1073741824 1073742335
2: FLOCK  ADVISORY  WRITE 7 00:19:1044 0 EOF
2: -> POSIX  ADVISORY  READ 9 08:01:77 0 EOF
3: POSIX  MANDATORY READ  12 fd:00:77 0 EOF
4: OFDLCK ADVISORY  READ  -1 00:06:77 0 0
`;

test('holders are those that have a lock of the file, not who waits for one', () => {
  expect(holdersOf(77, locks)).toEqual([1042, 12]);
  expect(holdersOf(1044, locks)).toEqual([7]);
  expect(holdersOf(7, locks)).toEqual([]);
});

test('the process that holds a lock is named until it lets go', () => {
  const path = join(temporaryFolder(), 'lock');
  const lock = tryLock(path);
  expect(lockHolder(path)).toBe(process.pid);
  lock?.release();
  expect(lockHolder(path)).toBeNull();
  expect(lockHolder(join(path, 'nowhere'))).toBeNull();
});
