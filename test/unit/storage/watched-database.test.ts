import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
let path: string;
let store: WatchedDatabase;
beforeEach(() => {
  serial += 1;
  path = join(folder, String(serial), 'store.sqlite');
  const schema = { tables: 'CREATE TABLE IF NOT EXISTS things (n INTEGER)' };
  store = new WatchedDatabase({ path, thing: 'store', program: 'test' }, [schema], () => undefined);
  store.prepare('INSERT INTO things VALUES (7)').run();
});
afterEach(() => store.close());

const modeOf = (file: string): number => statSync(file).mode & 0o777;
function thingsIn(file: string): unknown[] {
  const database = openDatabase(file);
  const things = database.prepare('SELECT n FROM things').all();
  database.close();
  return things;
}

test('a copy holds everything, and only its owner can read it', () => {
  const copy = `${path}.kept-1`;
  store.copyTo(copy);
  expect(thingsIn(copy)).toEqual([{ n: 7 }]);
  expect(modeOf(copy)).toBe(0o600);
  expect(existsSync(`${copy}.tmp`)).toBe(false);
});

test('what could not be put back yet waits in a copy that only its owner can read', () => {
  rmSync(path);
  // A folder in its place stops the last step.
  mkdirSync(join(path, 'x'), { recursive: true });
  expect(() => store.writeBack()).toThrow();
  expect(modeOf(`${path}.rescued`)).toBe(0o600);
  rmSync(path, { recursive: true });
  // The connection to the old file is gone: another try goes on where this one ended.
  store.writeBack();
  expect(thingsIn(path)).toEqual([{ n: 7 }]);
});

test('what was removed is written back, only its owner can read it, and statements go on', () => {
  const insert = store.prepare<[number]>('INSERT INTO things VALUES (?)');
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
  store.writeBack();
  insert.run(8);
  expect(modeOf(path)).toBe(0o600);
  expect(thingsIn(path)).toEqual([{ n: 7 }, { n: 8 }]);
  expect(existsSync(`${path}.rescued`)).toBe(false);
});
