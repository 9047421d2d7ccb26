import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { type CommitGuard, GroupCommit } from '../../../src/storage/group-commit.js';
import { StoreUnavailable, storageFault } from '../../../src/storage/storage-fault.js';
import { storeOver } from '../../support/store-over.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const name = { path: '/q.sqlite', thing: 'queue', program: 'test' };
const locked = new StoreUnavailable(storageFault('locked', name));
const full = new StoreUnavailable(storageFault('disk_full', name));

let clock: VirtualClock;
/** The fault that the next transactions meet before they begin. */
let trouble: Error | null;
let transactions: number;
let reported: unknown[];
let entered: number;
let database: Database.Database;
let group: GroupCommit;
let ran: string[];
beforeEach(() => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  trouble = null;
  [transactions, entered] = [0, 0];
  [reported, ran] = [[], []];
  database = openDatabase(':memory:');
  const store = storeOver(database);
  const guard: CommitGuard = {
    enter: () => {
      entered += 1;
    },
    leave: (answer) => answer(),
    locked: (error) => void reported.push(error),
  };
  group = new GroupCommit(
    {
      ...store,
      transact: (work) => {
        transactions += 1;
        if (trouble) throw trouble;
        return store.transact(work);
      },
    },
    { snapshot: () => () => undefined },
    () => undefined,
    clock,
    guard,
  );
});
afterEach(() => database.close());

/** Work whose run is noted, and what its caller hears of it. */
function run(what: string): { heard: () => unknown } {
  let heard: unknown = 'nothing';
  const note = (value: unknown): void => {
    heard = value;
  };
  group.run(() => ran.push(what) && what).then(note, note);
  return { heard: () => heard };
}
/** Lets time pass in steps of the given length, with everything that each wakes. */
async function pass(milliseconds: number, step = 25): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    clock.pass(step);
    await nextTurn();
    await nextTurn();
  }
}

describe('a lock of another process', () => {
  test('is waited for: 25 ms later the work is tried again, and its caller hears nothing of it', async () => {
    trouble = locked;
    const first = run('first');
    await nextTurn();
    expect([transactions, first.heard()]).toEqual([1, 'nothing']);
    trouble = null;
    await pass(24, 24);
    expect(transactions).toBe(1);
    await pass(1, 1);
    expect([transactions, first.heard(), reported]).toEqual([2, 'first', []]);
  });

  test('that stays for two seconds refuses the work, and the guard learns so', async () => {
    trouble = locked;
    const first = run('first');
    await nextTurn();
    await pass(1975);
    expect([first.heard(), reported]).toEqual(['nothing', []]);
    await pass(25);
    expect([first.heard(), reported]).toEqual([locked, [locked]]);
    const tries = transactions;
    await pass(1000);
    expect(transactions).toBe(tries);
  });

  test('that stayed too long is not waited for by later work, until it has once been gone', async () => {
    trouble = locked;
    run('first');
    await nextTurn();
    await pass(2000);
    const second = run('second');
    await nextTurn();
    expect(second.heard()).toBe(locked);
    trouble = null;
    const third = run('third');
    await nextTurn();
    await nextTurn();
    expect(third.heard()).toBe('third');
    trouble = locked;
    const fourth = run('fourth');
    await nextTurn();
    expect(fourth.heard()).toBe('nothing');
    await pass(1975);
    expect(fourth.heard()).toBe('nothing');
  });

  test('keeps the order: what waited for it goes before what came meanwhile, in one transaction', async () => {
    trouble = locked;
    const first = run('first');
    await nextTurn();
    const second = run('second');
    trouble = null;
    await pass(25);
    expect([first.heard(), second.heard(), ran]).toEqual(['first', 'second', ['first', 'second']]);
    expect(transactions).toBe(2);
  });

  test('is not waited for by the last commit', async () => {
    trouble = locked;
    const first = run('first');
    await group.finish();
    await nextTurn();
    expect([first.heard(), transactions]).toEqual([locked, 1]);
  });
});

describe('a fault', () => {
  test('of the whole database is no reason to wait, nor to try every piece alone', async () => {
    trouble = full;
    const [first, second] = [run('first'), run('second')];
    await nextTurn();
    await nextTurn();
    expect([first.heard(), second.heard(), transactions, reported]).toEqual([full, full, 1, []]);
  });

  test('of one piece lets the others pass the guard again, each alone, and a single piece is not tried twice', async () => {
    const bad = group.run(() => {
      throw new Error('bad');
    });
    const good = run('good');
    await expect(bad).rejects.toThrow('bad');
    await nextTurn();
    expect([good.heard(), transactions, entered]).toEqual(['good', 3, 3]);
    const alone = group.run(() => {
      throw new Error('alone');
    });
    await expect(alone).rejects.toThrow('alone');
    expect([transactions, entered]).toEqual([4, 4]);
  });
});
