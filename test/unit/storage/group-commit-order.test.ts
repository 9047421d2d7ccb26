import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { type Deferred, deferred } from '../../../src/foundation/concurrency.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { type CommitGuard, GroupCommit } from '../../../src/storage/group-commit.js';
import { storeOver } from '../../support/store-over.js';

/** The steps in their order: a group with its work, what came on disk, who heard of it. */
let happened: string[];
let syncs: Deferred<boolean>[];
let tidied: Promise<void> | null;
let guard: CommitGuard;
let database: Database.Database;
let group: GroupCommit;
beforeEach(() => {
  [happened, syncs, tidied] = [[], [], null];
  guard = { enter: () => undefined, leave: (answer) => answer(), locked: () => undefined };
  database = openDatabase(':memory:');
  const store = storeOver(database);
  group = new GroupCommit(
    {
      ...store,
      transact: (work) => {
        happened.push('group');
        return store.transact(work);
      },
      sync: () => {
        const sync = deferred<boolean>();
        syncs.push(sync);
        return sync.promise;
      },
      tidy: () => tidied,
    },
    { snapshot: () => () => undefined },
    () => void happened.push('on disk'),
    systemClock,
    {
      enter: () => guard.enter(),
      leave: (answer, refuse) => guard.leave(answer, refuse),
      locked: () => undefined,
    },
  );
});
afterEach(() => database.close());

const run = (what: string): Promise<void> =>
  group
    .run(() => happened.push(what))
    .then(
      () => void happened.push(`${what} heard`),
      (reason: Error) => void happened.push(`${what} refused: ${reason.message}`),
    );
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

test('nothing is heard before it is on disk', async () => {
  const first = run('a');
  expect(happened).toEqual([]);
  await turns(2);
  expect(happened).toEqual(['group', 'a']);
  syncs[0]?.resolve(true);
  await first;
  expect(happened).toEqual(['group', 'a', 'on disk', 'a heard']);
});

test('what comes during a sync makes one group, and those join it who answer to the group before', async () => {
  const first = run('a').then(() => run('d'));
  await turns(2);
  const [second, third] = [run('b'), run('c')];
  await turns(3);
  expect(happened).toEqual(['group', 'a']);
  syncs[0]?.resolve(true);
  await turns(4);
  expect(happened.slice(2)).toEqual(['on disk', 'a heard', 'group', 'b', 'c', 'd']);
  syncs[1]?.resolve(true);
  await Promise.all([first, second, third]);
  expect(syncs).toHaveLength(2);
});

test('and those who answer a turn of the event loop later, as a connection does', async () => {
  const first = run('a');
  await turns(2);
  const second = run('b');
  syncs[0]?.resolve(true);
  await first;
  await nextTurn();
  const third = run('c');
  await turns(4);
  expect(happened.slice(4)).toEqual(['group', 'b', 'c']);
  syncs[1]?.resolve(true);
  await Promise.all([second, third]);
});

test('what is to be done between two commits is done before the next group', async () => {
  const tidy = deferred<void>();
  tidied = tidy.promise;
  const first = run('a');
  await turns(2);
  syncs[0]?.resolve(true);
  await first;
  const second = run('b');
  await turns(4);
  expect(happened).not.toContain('b');
  tidied = null;
  tidy.resolve();
  await turns(4);
  expect(happened).toContain('b');
  syncs[1]?.resolve(true);
  await second;
});

test('what the disk refused is not reported as on disk; the guard decides what its callers hear', async () => {
  guard.leave = (_answer, refuse) => refuse(new Error('not found again'));
  const both = Promise.all([run('a'), run('b')]);
  await turns(2);
  syncs[0]?.resolve(false);
  await both;
  expect(happened).toEqual([
    ...['group', 'a', 'b', 'a refused: not found again', 'b refused: not found again'],
  ]);
});

test('what the guard does not let in is refused, and nothing of it runs', async () => {
  guard.enter = () => {
    throw new Error('closed');
  };
  await run('a');
  expect(happened).toEqual(['a refused: closed']);
  guard.enter = () => undefined;
  const second = run('b');
  await turns(2);
  syncs[0]?.resolve(true);
  await second;
  expect(happened.slice(1)).toEqual(['group', 'b', 'on disk', 'b heard']);
});

test('finish with nothing to do resolves and commits nothing', async () => {
  await group.finish();
  await turns(2);
  expect(happened).toEqual([]);
});
