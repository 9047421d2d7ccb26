import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { durableCredential, sessionCredential } from '../../../src/session/session-secrets.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let counter = 0;
let runtimeRoot = '';
beforeEach(() => {
  counter += 1;
  runtimeRoot = join(folder, String(counter));
});
const paths = () => sessionPaths(join(runtimeRoot, 'sessions', 'headless', 'session-1'));
const copy = (): string => join(paths().mailSecrets, 'ref.json');

function keep(text: string, mode = 0o600): void {
  const path = durableCredential(runtimeRoot, 'ref');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

test('the session has a copy of the host’s, renewed when that differs, for nobody else', () => {
  for (const text of ['first', 'second']) {
    keep(text);
    expect(sessionCredential(paths(), 'ref')).toBe(copy());
    expect([readFileSync(copy(), 'utf8'), statSync(copy()).mode & 0o777]).toEqual([text, 0o600]);
  }
  expect(statSync(dirname(copy())).mode & 0o777).toBe(0o700);
});

test('one that the session alone has is its own', () => {
  expect(sessionCredential(paths(), 'ref')).toBe(copy());
});

test('the host’s is not used where others can use it', () => {
  keep('secret', 0o644);
  expect(() => sessionCredential(paths(), 'ref')).toThrow(/; chmod 600 .*ref\.json$/);
  expect(() => statSync(copy())).toThrow('ENOENT');
});

test.each(['../ref', '/etc/passwd', '', '.', 'a/b', 'a..b', '-ref'])('%j names no file', (ref) => {
  keep('secret');
  expect(() => sessionCredential(paths(), ref)).toThrow(/is not a file name/);
});
