import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnusableFile } from '../../../src/foundation/faults.js';
import { accessToken } from '../../../src/session/session-secrets.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
const freshPath = (): string => {
  serial += 1;
  return join(folder, `access-token-${serial}`);
};

test('a token is made once, long and private, and kept', () => {
  const path = freshPath();
  const token = accessToken(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(accessToken(path)).toBe(token);
  expect(accessToken(`${path}-of-another`)).not.toBe(token);
});

test.each([
  [
    'others could read',
    (path: string) => {
      writeFileSync(path, 'x'.repeat(43));
      chmodSync(path, 0o644);
    },
    /others could read .*chmod 600/,
  ],
  [
    'its group could read',
    (path: string) => {
      writeFileSync(path, 'x'.repeat(43));
      chmodSync(path, 0o640);
    },
    /others could read .*chmod 600/,
  ],
  ['holds something else', (path: string) => writeFileSync(path, 'short', { mode: 0o600 }), /holds no token/],
  ['points elsewhere', (path: string) => symlinkSync('/dev/null', path), /not a regular file/],
])('a file that %s is refused with its remedy and left alone', (_what, make, words) => {
  const path = freshPath();
  make(path);
  const before = readFileSync(path);
  expect(() => accessToken(path)).toThrow(UnusableFile);
  expect(() => accessToken(path)).toThrow(words);
  expect(readFileSync(path)).toEqual(before);
});
