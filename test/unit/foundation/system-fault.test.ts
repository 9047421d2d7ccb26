import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unreadable } from '../../../src/foundation/system-fault.js';
import { needsRoot } from '../../support/run/needs.js';

/** Other users cannot enter the folder of the run. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/houmao-unreadable-');
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The failure of reading a path. */
function failureOf(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}

test('a path that cannot be read is reported with the reason, its code and the remedy', () => {
  const file = join(folder, 'file');
  const loop = join(folder, 'loop');
  writeFileSync(file, '');
  symlinkSync(loop, loop);
  const reported = (path: string) => unreadable(path, failureOf(path));
  expect(reported(folder)).toMatchObject({
    path: folder,
    reason: expect.stringMatching(/ a folder .*\(EISDIR\)$/),
  });
  expect(reported(join(file, 'below')).reason).toMatch(/ a file.*choose another.*\(ENOTDIR\)$/);
  expect(reported(loop).reason).toMatch(/ link .*remove it.*\(ELOOP\)$/);
  expect(reported(join(folder, 'x'.repeat(300))).reason).toMatch(/ too long.*\(ENAMETOOLONG\)$/);
  expect(unreadable('/f', Object.assign(new Error(), { code: 'EIO' })).message).toMatch(
    /^\/f: .*disk.*\(EIO\)$/,
  );
});

test('where rights are in the way, the folder, its owner and the user are named', needsRoot, () => {
  const closed = join(folder, 'registry');
  mkdirSync(join(closed, 'inner'), { recursive: true, mode: 0o700 });
  const built = JSON.stringify(join(import.meta.dirname, '../../../dist/src/foundation/folders.js'));
  const program = `
    const { foldersIn } = await import(${built});
    process.setgid(65534);
    process.setuid(65534);
    try {
      foldersIn(${JSON.stringify(join(closed, 'inner'))});
    } catch (error) {
      console.log(error.name, error.reason);
    }`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^UnusableFile /);
  expect(stdout).toContain(`nobody cannot use ${closed}, which belongs to root; `);
  expect(stdout).toMatch(/\(EACCES\)\n$/);
});
