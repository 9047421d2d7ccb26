import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const script = join(import.meta.dirname, '../../../../scripts/build/build-record.mjs');
const folder = temporaryFolder();
let root: string;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** In a process of its own, as the bootstrap runs it. @param code an expression over what the script exports. */
function inScript(code: string): unknown {
  const program = `import { buildDifference, digestSources, removeBuildRecord, writeBuildRecord } from ${JSON.stringify(script)};
const root = ${JSON.stringify(root)};
process.stdout.write(JSON.stringify((${code}) ?? null));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}
const built = () => inScript('writeBuildRecord(root, digestSources(root))');
const difference = () => inScript('buildDifference(root)');

beforeEach(() => {
  root = mkdtempSync(join(folder, 'project-'));
  write('src/a/one.ts', 'one');
  write('sdk/src/client.ts', 'client');
  write('package.json', '{}');
  write('dist/programs/demo.js', 'demo');
  write('sdk/dist/client.js', 'client');
  built();
});

test('a build of these very sources will do, however new the files say they are', () => {
  const later = new Date(Date.now() + 1_000_000);
  utimesSync(join(root, 'src/a/one.ts'), later, later);
  expect(difference()).toBeNull();
});

test("the SDK's copy of the contract, which the build makes, is no source", () => {
  write('sdk/src/generated/gateway/client.ts', 'copied');
  expect(difference()).toBeNull();
});

test.each<[string, () => void, string]>([
  ['another text', () => write('src/a/one.ts', 'eno'), 'src'],
  ['a new file', () => write('src/a/two.ts', ''), 'src'],
  ['a file that is gone', () => rmSync(join(root, 'sdk/src/client.ts')), 'sdk/src'],
  ['another name', () => renameSync(join(root, 'src/a/one.ts'), join(root, 'src/a/eno.ts')), 'src'],
  ['other packages', () => write('package-lock.json', '{}'), 'package-lock.json'],
  ['a program that is gone', () => rmSync(join(root, 'dist/programs/demo.js')), 'dist/programs'],
  ['a product that somebody changed', () => write('sdk/dist/client.js', ''), 'sdk/dist'],
])('%s has everything built', (_case, change, path) => {
  change();
  expect(difference()).toEqual({ what: 'all', because: `${path} has changed` });
});

test('what changed while it was built is not in the build', () => {
  const before = JSON.stringify(inScript('digestSources(root)'));
  write('src/a/one.ts', 'changed meanwhile');
  inScript(`writeBuildRecord(root, ${before})`);
  expect(difference()).toEqual({ what: 'all', because: 'src has changed' });
});

test('a build that was not finished, or whose record cannot be read, is none', () => {
  inScript('removeBuildRecord(root)');
  expect(difference()).toEqual({ what: 'all', because: 'there is no build yet' });
  write('dist/build-record.json', '{"node":1');
  expect(difference()).toEqual({ what: 'all', because: 'there is no build yet' });
});

test('another Node keeps the build, and makes its compiled code again', () => {
  const record = `Object.defineProperty(process, 'version', { value: 'v20.0.0' }), writeBuildRecord(root, digestSources(root))`;
  inScript(record);
  expect(difference()).toEqual({ what: 'cache', because: 'it was built by Node 20.0.0' });
});

test('a build that nothing was compiled of yet is kept, and its compiled code made', () => {
  inScript('writeBuildRecord(root, digestSources(root), null)');
  expect(difference()).toMatchObject({ what: 'cache' });
});
