import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { DatabaseFile } from '../../../src/storage/watched-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
let path: string;
let grow: () => void;
let file: DatabaseFile;
beforeEach(() => {
  serial += 1;
  path = join(folder, `${serial}.sqlite`);
  const database = openDatabase(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (what TEXT)');
  file = new DatabaseFile(path);
  grow = () => {
    database.exec(`INSERT INTO things VALUES ('${'long '.repeat(20_000)}'); PRAGMA wal_checkpoint(TRUNCATE)`);
  };
});

test('a file that grows stays ours', () => {
  const before = statSync(path).size;
  grow();
  expect(statSync(path).size).toBeGreaterThan(before);
  expect(file.look()).toBe('ours');
});

test('a file that lost what it had grown by is truncated, also where it is longer than at first', () => {
  grow();
  const first = statSync(path).size;
  expect(file.look()).toBe('ours');
  grow();
  expect(file.look()).toBe('ours');
  truncateSync(path, first);
  expect(file.look()).toBe('truncated');
});

test('a file or a log that is gone, or another one, is distinguished', () => {
  rmSync(`${path}-wal`);
  expect(file.look()).toBe('missing');
  writeFileSync(`${path}-wal`, '');
  expect(file.look()).toBe('missing');
  rmSync(path);
  expect(file.look()).toBe('missing');
  writeFileSync(path, 'another one, which is long enough to pass for it');
  expect(file.look()).toBe('replaced');
});
