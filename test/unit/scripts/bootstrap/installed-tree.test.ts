import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const script = join(import.meta.dirname, '../../../../scripts/bootstrap/installed-tree.mjs');
const folder = temporaryFolder();

const locked = {
  '': { name: 'project' },
  lib: { version: '0.1.0' },
  'node_modules/lib': { resolved: 'lib', link: true },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/@x/b': { version: '2.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-e', optional: true, os: ['aix'] },
};
const { '': _project, 'node_modules/elsewhere': _elsewhere, ...installed } = locked;

let root: string;
const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value));
};
const list = (packages: object): void => write('node_modules/.package-lock.json', { packages });

beforeEach(() => {
  root = mkdtempSync(join(folder, 'project-'));
  write('package-lock.json', { packages: locked });
  list(installed);
  write('lib/package.json', { version: '0.1.0' });
  write('node_modules/lib/package.json', { version: '0.1.0' });
  write('node_modules/a/package.json', { version: '1.0.0' });
  write('node_modules/@x/b/package.json', { version: '2.0.0' });
});

/** Asked in a process of its own, as the bootstrap is. */
function difference(): string | null {
  const program = `import { installedDifference } from ${JSON.stringify(script)};
process.stdout.write(JSON.stringify(installedDifference(${JSON.stringify(root)})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('what npm installed by the lockfile is well, without the packages of other machines', () => {
  expect(difference()).toBeNull();
});

test('without node_modules, and with a list that cannot be read, nothing is installed', () => {
  write('node_modules/.package-lock.json', '{');
  expect(difference()).toBe('nothing is installed yet');
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(difference()).toBe('nothing is installed yet');
});

test.each<[string, object, string]>([
  ['a package that is missing', { 'node_modules/a': undefined }, 'a is missing'],
  [
    'another version',
    { 'node_modules/@x/b': { version: '1.9.0', integrity: 'sha512-old' } },
    '@x/b is 1.9.0, not 2.0.0',
  ],
  [
    'other contents',
    { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-z' } },
    'a is another package of the same version',
  ],
  ['a copy in place of a link', { 'node_modules/lib': {} }, 'lib was installed in another way'],
])('%s is named', (_case, change, said) => {
  list({ ...installed, ...change });
  expect(difference()).toBe(said);
});

test('what npm lists is looked up on the disk', () => {
  write('node_modules/a/package.json', { version: '0.9.0' });
  expect(difference()).toBe('a is 0.9.0 on the disk');
  rmSync(join(root, 'node_modules/a'), { recursive: true });
  expect(difference()).toBe('a is not on the disk');
});

test('a package that somebody added is left alone, but not one that a wanted one would find first', () => {
  const extra = { version: '1.0.0', integrity: 'sha512-y' };
  write('node_modules/mine/package.json', { version: '1.0.0' });
  list({ ...installed, 'node_modules/mine': extra });
  expect(difference()).toBeNull();
  write('node_modules/a/node_modules/@x/b/package.json', { version: '1.0.0' });
  list({ ...installed, 'node_modules/a/node_modules/@x/b': extra });
  expect(difference()).toBe('@x/b is not in package-lock.json');
});
