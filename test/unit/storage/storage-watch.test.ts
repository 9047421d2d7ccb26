import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { queueStore, type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { GroupCommit } from '../../../src/storage/group-commit.js';
import { storageFault } from '../../../src/storage/storage-fault.js';
import { isFull, StorageWatch } from '../../../src/storage/storage-watch.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';

const schema = { tables: 'CREATE TABLE IF NOT EXISTS things (n INTEGER)' };

let paths: SessionPaths;
let queue: WatchedDatabase;
let watch: StorageWatch;
let commit: GroupCommit;
/** The work in the transaction that shows that the queue can be stored again. */
let probe: () => void;

beforeEach(() => {
  paths = sessionPaths(mkdtempSync(join(tmpdir(), 'houmao-watch-')));
  queue = new WatchedDatabase(queueStore(paths), [schema], (fault) => watch.met(fault));
  probe = () => undefined;
  watch = new StorageWatch({
    database: queue,
    probe: () => commit.run(probe),
    report: () => undefined,
    changed: () => undefined,
    clock: systemClock,
  });
  const mirror = { snapshot: () => () => undefined };
  commit = new GroupCommit(queue, mirror, () => undefined, systemClock, watch);
  watch.start();
});
afterEach(async () => {
  watch.letGo();
  await watch.stop();
  queue.close();
  rmSync(paths.root, { recursive: true });
});

const aside = (): string => `${paths.queue}.aside`;
/** Puts another file where the queue was. */
function replace(): void {
  renameSync(paths.queue, aside());
  writeFileSync(paths.queue, 'somebody put this here');
}
const moveBack = (): void => renameSync(aside(), paths.queue);

/** Work that is committed into files that the next start would not find. */
async function withheld(work: () => void) {
  let settled = false;
  const reported = commit.run(work);
  const note = (): void => {
    settled = true;
  };
  reported.then(note, note);
  await expect.poll(() => watch.fault?.code).toBeDefined();
  return { reported, isSettled: () => settled };
}

test('what another file took the place of is answered when it is back', async () => {
  const { reported, isSettled } = await withheld(replace);
  expect([watch.fault?.code, isSettled()]).toEqual(['replaced', false]);
  moveBack();
  await reported;
  await expect.poll(() => watch.fault).toBeNull();
});

test('a gateway that stops lets no caller wait: it says that this was written and may not be found', async () => {
  const { reported, isSettled } = await withheld(replace);
  expect(isSettled()).toBe(false);
  watch.letGo();
  await expect(reported).rejects.toMatchObject({ committed: true, fault: { code: 'replaced' } });
  await expect(commit.run(() => undefined)).rejects.toMatchObject({ committed: false });
});

test('a gateway that goes down writes back what was removed, and answers', async () => {
  watch.letGo();
  await commit.run(() => rmSync(paths.queue));
  expect(existsSync(paths.queue)).toBe(true);
});

test('what was committed apart from a bad neighbour is withheld like everything else', async () => {
  const bad = expect(
    commit.run(() => {
      throw new Error('bad');
    }),
  ).rejects.toThrow('bad');
  const { reported, isSettled } = await withheld(replace);
  await bad;
  expect([watch.fault?.code, isSettled()]).toEqual(['replaced', false]);
  moveBack();
  await reported;
});

test('nothing is written into a damaged file, not even what has happened', async () => {
  await commit.run(() => void queue.prepare('INSERT INTO things VALUES (1)').run());
  const before = readFileSync(`${paths.queue}-wal`);
  watch.met(storageFault('damaged', queue.name));
  const late = commit.run(() => void queue.prepare('INSERT INTO things VALUES (2)').run());
  await expect(late).rejects.toMatchObject({ committed: false, fault: { code: 'damaged' } });
  expect(readFileSync(`${paths.queue}-wal`).equals(before)).toBe(true);
  expect(queue.prepare('SELECT n FROM things').all()).toEqual([{ n: 1 }]);
});

test('what was cut short is refused at once: nothing makes it whole', async () => {
  await expect(commit.run(() => truncateSync(paths.queue, 100))).rejects.toMatchObject({
    committed: true,
    fault: { code: 'damaged' },
  });
});

test('the sign that all is well again may be withheld too', async () => {
  probe = () => {
    probe = () => undefined;
    replace();
  };
  const { reported } = await withheld(replace);
  moveBack();
  await reported;
  await expect.poll(() => existsSync(aside())).toBe(true);
  expect(watch.fault?.code).toBe('replaced');
  moveBack();
  await expect.poll(() => watch.fault).toBeNull();
});

test('a disk with less than 1 MiB free is full, and one that does not say is not', () => {
  const bsize = 4096;
  const free = (bavail: number, blocks = 1000) => isFull({ bavail, bsize, blocks });
  expect([free(0), free(255), free(256), free(0, 0)]).toEqual([true, true, false, false]);
});
