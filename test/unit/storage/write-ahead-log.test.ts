import { execFileSync } from 'node:child_process';
import { readlinkSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { GroupCommit } from '../../../src/storage/group-commit.js';
import type { StorageFault } from '../../../src/storage/storage-fault.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

type Done = (error: Error | null) => void;
/** A disk whose syncs the test watches, refuses and holds back. */
const disk = vi.hoisted(() => ({
  refuses: null as Error | null,
  /** A file that cannot be renamed. */
  stuck: null as string | null,
  /** @param skip says that it is done, without doing it. */
  asked: (_file: number, go: () => void, _skip: () => void): void => go(),
}));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const through = (sync: (file: number, done: Done) => void) => (file: number, done: Done) =>
    disk.asked(
      file,
      () => (disk.refuses ? done(disk.refuses) : sync(file, done)),
      () => done(null),
    );
  const renameSync = (from: string, to: string): void => {
    if (from === disk.stuck) throw Object.assign(new Error('EIO: rename'), { code: 'EIO' });
    real.renameSync(from, to);
  };
  return { ...real, fsync: through(real.fsync), fdatasync: through(real.fdatasync), renameSync };
});

const schema = { tables: 'CREATE TABLE IF NOT EXISTS things (n INTEGER PRIMARY KEY, what TEXT)' };
const folder = temporaryFolder();
let serial = 0;
let path: string;
let faults: StorageFault[];
let store: WatchedDatabase;
let add: (text: string) => Promise<void>;
beforeEach(() => {
  serial += 1;
  path = join(folder, String(serial), 'store.sqlite');
  faults = [];
  store = new WatchedDatabase(
    { path, thing: 'store', program: 'test' },
    [schema],
    (fault) => void faults.push(fault),
  );
  const insert = store.prepare<[string]>('INSERT INTO things (what) VALUES (?)');
  const guard = { enter: () => undefined, leave: (answer: () => void) => answer(), locked: () => undefined };
  const mirror = { snapshot: () => () => undefined };
  const commit = new GroupCommit(store, mirror, () => undefined, systemClock, guard);
  add = (text) => commit.run(() => void insert.run(text));
});
afterEach(() => {
  disk.refuses = null;
  disk.stuck = null;
  disk.asked = (_file, go) => go();
  store.close();
});

const page = 'long '.repeat(800);
const nameOf = (file: number): string => basename(readlinkSync(`/proc/self/fd/${file}`));
const logSize = (): number => statSync(`${path}-wal`).size;
const modesOf = () => [
  store.prepare<[], { synchronous: number }>('PRAGMA synchronous').get()?.synchronous,
  store.prepare<[], { wal_autocheckpoint: number }>('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint,
];
const pagesInLog = () => store.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? 0;
/** Commits until the log has been emptied so often. @returns how many pages it had at most. */
async function addUntilEmptied(times: number, most = 5000): Promise<number> {
  let longest = 0;
  for (let emptied = 0, before = 0, n = 0; emptied < times; n += 1) {
    expect(n).toBeLessThan(most);
    await add(page);
    const now = pagesInLog();
    if (now < before) emptied += 1;
    before = now;
    longest = Math.max(longest, now);
  }
  return longest;
}

test('SQLite syncs no commit and makes no checkpoint, also after the file was written again', () => {
  expect(modesOf()).toEqual([1, 0]);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
  store.writeBack();
  expect(modesOf()).toEqual([1, 0]);
});

test('a commit is answered when its log is on disk, and those that come meanwhile share the next one', async () => {
  const asked: (() => void)[] = [];
  disk.asked = (_file, go) => void asked.push(go);
  const answered: string[] = [];
  const send = (what: string): void => {
    add(what).then(
      () => answered.push(what),
      () => undefined,
    );
  };
  send('a');
  await nextTurn();
  send('b');
  await nextTurn();
  send('c');
  for (let n = 0; n < 5; n += 1) await nextTurn();
  // It is written, and can be read.
  expect(store.prepare('SELECT what FROM things').all()).toEqual([{ what: 'a' }]);
  expect([answered, asked.length]).toEqual([[], 1]);
  asked.shift()?.();
  await expect.poll(() => asked.length, { interval: 1 }).toBe(1);
  expect([...answered]).toEqual(['a']);
  asked.shift()?.();
  await expect.poll(() => answered, { interval: 1 }).toEqual(['a', 'b', 'c']);
});

test('the log stays short: copied, the database synced, begun again, and that synced before anything else', async () => {
  const order: string[] = [];
  disk.asked = (file, go) => {
    const pages = pagesInLog();
    order.push(`${nameOf(file)} ${pages > 900 ? 'long' : pages === 1 ? 'begun' : 'short'}`);
    go();
  };
  expect(await addUntilEmptied(3)).toBeLessThan(1020);
  const at = order.indexOf('store.sqlite long');
  // The copied part is on disk, and the new log has nothing but its head in it.
  expect(order.slice(at - 1, at + 2)).toEqual([
    'store.sqlite-wal long',
    'store.sqlite long',
    'store.sqlite-wal begun',
  ]);
  expect(order.filter((line) => line.startsWith('store.sqlite ')).length).toBe(3);
  expect(logSize()).toBeLessThan(5 * 1024 * 1024);
  expect(modesOf()).toEqual([1, 0]);
});

test('nothing is committed while the database is put on disk: the log is still needed', async () => {
  const held = deferred<{ pages: number; letGo: () => void }>();
  disk.asked = (file, _go, skip) => {
    if (nameOf(file) === 'store.sqlite') held.resolve({ pages: pagesInLog(), letGo: skip });
    // At once, so that a few turns of the event loop are time enough for many commits.
    else skip();
  };
  const adding = addUntilEmptied(1);
  const { pages, letGo } = await held.promise;
  const late = add('late');
  for (let n = 0; n < 20; n += 1) await nextTurn();
  expect(pagesInLog()).toBe(pages);
  expect(store.prepare("SELECT n FROM things WHERE what = 'late'").all()).toEqual([]);
  letGo();
  await Promise.all([late, adding]);
});

test('a program that reads an old state lets the log grow; when it is done the log is emptied', async () => {
  const reader = openDatabase(path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM things').get();
  for (let n = 0; n < 1200 && pagesInLog() < 1200; n += 1) await add(page);
  expect(pagesInLog()).toBeGreaterThanOrEqual(1200);
  reader.exec('COMMIT');
  expect(await addUntilEmptied(1)).toBeLessThan(3200);
  reader.close();
});

test('the locks of the database outlive the emptying of its log', async () => {
  await addUntilEmptied(1);
  // Only who is alone with a database may give up its log.
  const script = `import { openDatabase } from './dist/src/foundation/open-database.js';
    try { console.log(openDatabase(process.argv[1], { timeout: 0 }).prepare('PRAGMA journal_mode = DELETE').get()); }
    catch (error) { console.log(error.code); }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, path], {
    encoding: 'utf8',
  });
  expect(said).toBe('SQLITE_BUSY\n');
  await add('goes on');
});

test.each([
  ['EIO', 'unwritable'],
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'read_only'],
])(
  'a sync refused with %s counts until everything was written again, whatever later syncs say',
  async (code, fault) => {
    disk.refuses = Object.assign(new Error(`${code}: fdatasync`), { code });
    await add('not known to be on disk');
    disk.refuses = null;
    expect(faults).toMatchObject([{ code: fault, reason: expect.stringContaining(`${code}: fdatasync`) }]);
    expect(store.unsynced).toMatchObject({ code: fault });
    expect(await store.sync()).toBe(false);
    store.writeBack();
    expect(store.unsynced).toBeNull();
    expect(await store.sync()).toBe(true);
    expect(store.prepare('SELECT what FROM things').all()).toEqual([{ what: 'not known to be on disk' }]);
  },
);

test('a disk that also refuses to put the new file in place loses nothing for readers of the old one', async () => {
  await add('answered');
  // With a reader, closing takes nothing over from the log.
  const reader = openDatabase(path);
  reader.prepare('SELECT * FROM things').all();
  disk.refuses = Object.assign(new Error('EIO: fdatasync'), { code: 'EIO' });
  await add('not known to be on disk');
  disk.refuses = null;
  disk.stuck = `${path}.rescued`;
  const read = store.prepare('SELECT what FROM things');
  expect(() => store.writeBack()).toThrow('EIO: rename');
  expect(() => read.all()).toThrow(expect.objectContaining({ name: 'StoreUnavailable' }));
  expect(() => store.writeBack()).toThrow('EIO: rename');
  disk.stuck = null;
  store.writeBack();
  expect(read.all()).toEqual([{ what: 'answered' }, { what: 'not known to be on disk' }]);
  expect(store.unsynced).toBeNull();
  reader.close();
});

test('a start that finds such a copy beside the old file takes neither, and says how to go on with each', async () => {
  await add('answered');
  disk.stuck = `${path}.rescued`;
  disk.refuses = Object.assign(new Error('EIO: fdatasync'), { code: 'EIO' });
  await add('not known to be on disk');
  expect(() => store.writeBack()).toThrow('EIO: rename');
  disk.stuck = null;
  const open = () =>
    new WatchedDatabase({ path, thing: 'store', program: 'test' }, [schema], () => undefined);
  expect(open).toThrow(`${path}: ${path}.rescued is beside it: a full copy that an earlier test saved`);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const next = open();
  expect(next.prepare('SELECT count(*) AS n FROM things').get()).toEqual({ n: 2 });
  next.close();
});

test('a database that its disk refuses while the log is emptied counts as not on disk', async () => {
  disk.asked = (file, go) => {
    disk.refuses =
      nameOf(file) === 'store.sqlite' ? Object.assign(new Error('EIO: fsync'), { code: 'EIO' }) : null;
    go();
  };
  const refused = async (): Promise<void> => {
    for (let n = 0; n < 5000; n += 1) await add(page);
  };
  await expect(refused()).rejects.toMatchObject({ committed: false, fault: { code: 'unwritable' } });
  expect(faults).toMatchObject([{ code: 'unwritable' }]);
  // The log is still there, whole.
  expect(pagesInLog()).toBeGreaterThan(900);
});
