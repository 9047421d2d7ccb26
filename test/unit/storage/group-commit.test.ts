import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { type CommitGuard, GroupCommit } from '../../../src/storage/group-commit.js';
import type { Store } from '../../../src/storage/store.js';
import { storeOver } from '../../support/store-over.js';

/** Fifty times this is more than a test may take: a group must wait for a lock once. */
const LOCK_PATIENCE_MS = 1500;

let folder: string;
let database: Database.Database;
let other: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-commit-'));
  database = openDatabase(join(folder, 'q.sqlite'), { timeout: LOCK_PATIENCE_MS });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE rows (n INTEGER PRIMARY KEY)');
  // A connection of its own sees only what is committed.
  other = openDatabase(join(folder, 'q.sqlite'), { timeout: 50 });
});
afterEach(() => {
  database.close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

class Counter {
  value = 0;
  snapshot(): () => void {
    const { value } = this;
    return () => {
      this.value = value;
    };
  }
}
const committedRows = (): number[] =>
  other
    .prepare<[], { n: number }>('SELECT n FROM rows ORDER BY n')
    .all()
    .map((row) => row.n);

const openGuard: CommitGuard = {
  enter: () => undefined,
  leave: (answer) => answer(),
  locked: () => undefined,
};

function setUp(more: Partial<Store> = {}) {
  const mirror = new Counter();
  let commits = 0;
  const group = new GroupCommit(
    { ...storeOver(database), ...more },
    mirror,
    () => {
      commits += 1;
    },
    systemClock,
    openGuard,
  );
  const insert = database.prepare('INSERT INTO rows (n) VALUES (?)');
  const add = (n: number): Promise<number> =>
    group.run(() => {
      insert.run(n);
      mirror.value += 1;
      return n;
    });
  return { mirror, group, add, commits: () => commits };
}

test('work of one turn of the event loop is one transaction, and its promises come after the commit', async () => {
  const { add, mirror, commits } = setUp();
  const seen = [1, 2, 3].map((n) => add(n).then(() => committedRows()));
  expect(committedRows()).toEqual([]);
  for (const rows of await Promise.all(seen)) expect(rows).toEqual([1, 2, 3]);
  expect(mirror.value).toBe(3);
  expect(commits()).toBe(1);
});

test('a piece that fails takes no neighbour with it and leaves no trace, in the table or in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('good', 'double', 'throw'), { minLength: 1, maxLength: 12 }),
      async (pieces) => {
        database.exec('DELETE FROM rows');
        const { add, group, mirror } = setUp();
        const work = pieces.map((piece, index) => {
          if (piece === 'good') return add(index);
          return group.run(() => {
            database.prepare('INSERT INTO rows (n) VALUES (?)').run(1000 + index);
            mirror.value += 100;
            if (piece === 'throw') throw new Error('no');
            database.prepare('INSERT INTO rows (n) VALUES (?)').run(1000 + index);
          });
        });
        const results = await Promise.allSettled(work);
        const good = pieces.flatMap((piece, index) => (piece === 'good' ? [index] : []));
        expect(results.map((result) => result.status === 'fulfilled')).toEqual(
          pieces.map((piece) => piece === 'good'),
        );
        expect(committedRows()).toEqual(good);
        expect(mirror.value).toBe(good.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('a commit that is refused at its very end was none: the bad piece is refused, its neighbour is stored', async () => {
  database.exec(
    'CREATE TABLE parts (n INTEGER REFERENCES rows (n) DEFERRABLE INITIALLY DEFERRED); PRAGMA foreign_keys = ON',
  );
  const { add, group, mirror } = setUp();
  // The row to which it refers is only missed by COMMIT.
  const orphan = group.run(() => {
    database.prepare('INSERT INTO parts (n) VALUES (99)').run();
    mirror.value += 100;
  });
  const results = await Promise.allSettled([add(1), orphan, add(2)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committedRows()).toEqual([1, 2]);
  expect(mirror.value).toBe(2);
});

test('a database that is locked or full fails the whole group once, and takes the next', async () => {
  const { add, mirror } = setUp();
  other.exec('BEGIN IMMEDIATE');
  const results = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => add(n)));
  other.exec('COMMIT');
  expect(results.every((result) => result.status === 'rejected')).toBe(true);
  expect(mirror.value).toBe(0);
  await add(7);
  expect(committedRows()).toEqual([7]);
  expect(mirror.value).toBe(1);
});

test('finish commits what waits and what is under way, and resolves when all of it is on disk', async () => {
  const syncs: (() => void)[] = [];
  const { add, group } = setUp({
    sync: () => new Promise((resolve) => void syncs.push(() => resolve(true))),
  });
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  const done = [add(1).then(note('one'))];
  await nextTurn();
  done.push(add(2).then(note('two')));
  const finished = group.finish().then(note('finished'));
  await nextTurn();
  expect([committedRows(), order]).toEqual([[1], []]);
  syncs.shift()?.();
  await nextTurn();
  expect([committedRows(), order]).toEqual([[1, 2], ['one']]);
  syncs.shift()?.();
  await Promise.all([...done, finished]);
  expect(order).toEqual(['one', 'two', 'finished']);
});
