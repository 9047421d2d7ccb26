import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ReservedFile } from '../../../src/foundation/atomic-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('room is taken at once; the file comes whole, with nothing behind its content', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'exitcode');
  const file = new ReservedFile(path, 256);
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).size)).toEqual([256]);
  file.write('0\n');
  expect(readFileSync(path, 'utf8')).toBe('0\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['exitcode']);
});

test('what is not needed after all leaves nothing', () => {
  const folder = temporaryFolder();
  new ReservedFile(join(folder, 'exitcode'), 256).release();
  expect(readdirSync(folder)).toEqual([]);
});
