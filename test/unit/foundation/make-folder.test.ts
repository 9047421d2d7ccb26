import { spawnSync } from 'node:child_process';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, NoFolder } from '../../../src/foundation/make-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();

function faultOf(path: string): NoFolder {
  try {
    makeFolder(path);
  } catch (error) {
    if (error instanceof NoFolder) return error;
    throw error;
  }
  throw new Error(`${path} was made`);
}

test('a folder is made with those above it, in the given mode, and the first one is returned', () => {
  const deep = join(folder, 'one', 'two', 'three');
  expect(makeFolder(deep, 0o700)).toBe(join(folder, 'one'));
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  expect(makeFolder(deep)).toBeUndefined();
  symlinkSync(join(folder, 'one'), join(folder, 'link'));
  expect(makeFolder(join(folder, 'link', 'four'))).toBe(join(folder, 'link', 'four'));
});

test('a file in its place or above it, and a link that leads nowhere, are named', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(faultOf(file)).toMatchObject({ code: 'EEXIST', path: file });
  expect(faultOf(join(file, 'below'))).toMatchObject({ code: 'ENOTDIR', path: join(file, 'below') });
  const nowhere = join(folder, 'nowhere');
  symlinkSync(join(folder, 'missing'), nowhere);
  expect(faultOf(nowhere)).toMatchObject({ code: 'EEXIST', path: nowhere });
});

test.runIf(existsSync('/proc/self'))('a folder that takes no entries is named, and nothing spins', () => {
  expect(faultOf('/proc/houmao')).toMatchObject({ code: 'ENOENT', path: '/proc/houmao' });
  expect(faultOf('/proc/houmao/deep')).toMatchObject({ code: 'ENOENT', path: '/proc/houmao' });
});

// When this fails, Node has mended it: `mkdirSync` with `recursive` will do, once no older Node is served.
test.runIf(existsSync('/proc/self'))('Node itself makes such a folder for ever', () => {
  const program = `require('node:fs').mkdirSync('/proc/houmao', { recursive: true })`;
  expect(spawnSync(process.execPath, ['-e', program], { timeout: 3000 }).signal).toBe('SIGTERM');
});
