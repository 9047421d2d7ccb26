import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import { inspectRoot } from '../../../../../src/mail/filesystem/admin/inspect-root.js';
import { SharedDatabase } from '../../../../../src/mail/filesystem/root/shared-database.js';
import { listOf, newRoot, openRoot } from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const tables = 'CREATE TABLE IF NOT EXISTS serial (n INTEGER)';

function run(path: string, sql: string): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.close();
}

async function rootWith(sql: string) {
  const root = await newRoot(['alice']);
  root.close();
  const names = openDatabase(root.paths.index);
  names.exec('PRAGMA foreign_keys = OFF');
  const found = names
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all();
  for (const { name } of found) names.exec(`DROP TABLE ${name}`);
  names.close();
  run(root.paths.index, sql);
  return openRoot(root.paths.root);
}

test('a look at a database of another program changes nothing in it, and neither does a request for mail', async () => {
  const root = await rootWith('CREATE TABLE cookies (name TEXT)');
  const before = readFileSync(root.paths.index);
  expect(await inspectRoot(root)).toMatchObject({ registrations: null, trouble: expect.any(String) });
  await expect(listOf(root, 'alice')).rejects.toMatchObject({ code: 'mailbox_damaged' });
  expect(readFileSync(root.paths.index).equals(before)).toBe(true);
});

test('looking at an index of an older format leaves its journal as it is', async () => {
  const root = await rootWith('CREATE TABLE principals (id TEXT); PRAGMA journal_mode = WAL');
  expect(await inspectRoot(root)).toMatchObject({ supported: false });
  root.close();
  const database = openDatabase(root.paths.index);
  onTestFinished(() => void database.close());
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()).toEqual([
    { name: 'principals' },
  ]);
});

test('a new database has the rights that the umask leaves', () => {
  const umask = process.umask(0o002);
  onTestFinished(() => void process.umask(umask));
  const database = new SharedDatabase(join(temporaryFolder(), 'a.sqlite'), tables);
  onTestFinished(() => database.close());
  database.create();
  expect((statSync(database.path).mode & 0o777).toString(8)).toBe('664');
});

/** Replaces a file by one after the other, each with a number of its own, for as long as there are some. */
const replacer = `
  import { readdirSync, renameSync } from 'node:fs';
  const [folder, path] = process.argv.slice(1);
  console.log('begun');
  for (const name of readdirSync(folder)) {
    renameSync(folder + '/' + name, path);
    const until = performance.now() + 3;
    while (performance.now() < until);
  }`;

test('a file that is replaced while it is opened is noticed', async () => {
  const [folder, path] = [temporaryFolder(), join(temporaryFolder(), 'index.sqlite')];
  const serials = new Map<bigint, number>();
  for (let n = 0; n < 300; n += 1) {
    const name = join(folder, `${n}`);
    run(name, `${tables}; INSERT INTO serial VALUES (${n})`);
    serials.set(lstatSync(name, { bigint: true }).ino, n);
  }
  run(path, `${tables}; INSERT INTO serial VALUES (-1)`);
  serials.set(lstatSync(path, { bigint: true }).ino, -1);
  const child = spawn(process.execPath, ['--input-type=module', '-e', replacer, folder, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const inode = () => lstatSync(path, { bigint: true }).ino;
  const look = (): number | undefined => {
    const database = new SharedDatabase(path, tables);
    database.require();
    const before = inode();
    const row = database.prepare<[], { n: number }>('SELECT n FROM serial').get();
    // A file that was replaced meanwhile says nothing.
    if (inode() === before) expect(row?.n).toBe(serials.get(before));
    database.close();
    return row?.n;
  };
  do {
    look();
    await new Promise(setImmediate);
  } while (child.exitCode === null);
  await ended;
  expect(look()).toBe(serials.get(inode()));
});
