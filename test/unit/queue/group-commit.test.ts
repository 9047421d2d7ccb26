import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openQueueDatabase } from '../../../src/gateway/database.js';
import { GroupCommit, isWholeDatabase } from '../../../src/gateway/group-commit.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
let database: Database.Database;
let path: string;
let counter = 0;
/** Mirrors how many rows there are. */
let rows: number;
let commits: number;
const mirror = {
  snapshot: () => {
    const before = rows;
    return () => {
      rows = before;
    };
  },
};
const group = () =>
  new GroupCommit(database, mirror, () => {
    commits += 1;
  });

beforeEach(() => {
  counter += 1;
  path = join(folder, `queue-${counter}.sqlite`);
  database = openQueueDatabase(path);
  database.exec('CREATE TABLE piece (id INTEGER PRIMARY KEY, name TEXT NOT NULL)');
  rows = 0;
  commits = 0;
});
afterEach(() => {
  database.close();
});

const insert = (id: number): number => {
  rows += 1;
  database.prepare('INSERT INTO piece VALUES (?, ?)').run(id, `piece ${id}`);
  return id;
};
/** What another process sees, that is: what is committed. */
function committed(): number[] {
  const reader = new Database(path, { readonly: true });
  try {
    return reader.prepare<[], number>('SELECT id FROM piece ORDER BY rowid').pluck().all();
  } finally {
    reader.close();
  }
}

describe('group commit', () => {
  it('puts the work of one turn of the event loop into one transaction, in order', async () => {
    const commit = group();
    const order: number[] = [];
    const results = [3, 1, 2].map((id) =>
      commit.run(() => {
        order.push(id);
        return insert(id);
      }),
    );
    expect(order).toEqual([]);
    expect(await Promise.all(results)).toEqual([3, 1, 2]);
    expect(order).toEqual([3, 1, 2]);
    expect(commits).toBe(1);
  });

  it('resolves only when another process could read it', async () => {
    const commit = group();
    const seen = [1, 2].map((id) => commit.run(() => insert(id)).then(() => committed()));
    expect(committed()).toEqual([]);
    expect(await Promise.all(seen)).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('has not committed yet while the work runs', async () => {
    const commit = group();
    const during = await commit.run(() => {
      insert(1);
      return committed();
    });
    expect(during).toEqual([]);
    expect(committed()).toEqual([1]);
  });

  it('a bad piece fails alone: its rows and its mark on the mirror go, its neighbours stay', () => {
    const pieces = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(pieces, async (wholesome) => {
        database.exec('DELETE FROM piece');
        rows = 0;
        const commit = group();
        const outcomes = await Promise.allSettled(
          wholesome.map((good, id) =>
            commit.run(() => {
              insert(id);
              if (!good) throw new Error(`piece ${id}`);
              return id;
            }),
          ),
        );
        const kept = wholesome.flatMap((good, id) => (good ? [id] : []));
        expect(committed()).toEqual(kept);
        expect(rows).toBe(kept.length);
        for (const [id, outcome] of outcomes.entries()) {
          if (wholesome[id]) expect(outcome).toEqual({ status: 'fulfilled', value: id });
          else expect(outcome).toMatchObject({ status: 'rejected', reason: { message: `piece ${id}` } });
        }
      }),
      { numRuns: 50 },
    );
  });

  it('a broken constraint is the fault of its piece', async () => {
    const commit = group();
    const [first, twin, last] = await Promise.allSettled([1, 1, 2].map((id) => commit.run(() => insert(id))));
    expect(first?.status).toBe('fulfilled');
    expect(twin).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } });
    expect(last?.status).toBe('fulfilled');
    expect([committed(), rows]).toEqual([[1, 2], 2]);
  });

  it('a database that is busy fails every piece once, and none is tried alone', async () => {
    database.pragma('busy_timeout = 0');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    let runs = 0;
    const commit = group();
    const work = () => {
      runs += 1;
    };
    const outcomes = await Promise.allSettled([commit.run(work), commit.run(work)]);
    other.close();
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runs).toBe(0);
    await commit.run(() => insert(1));
    expect(committed()).toEqual([1]);
  });

  it('flush commits at once what waits, and does nothing when nothing waits', async () => {
    const commit = group();
    commit.flush();
    expect(commits).toBe(0);
    const waiting = commit.run(() => insert(1));
    commit.flush();
    expect(committed()).toEqual([1]);
    await waiting;
    await new Promise((resolve) => setImmediate(resolve));
    expect(commits).toBe(1);
  });

  it.each([
    ['SQLITE_FULL', true],
    ['SQLITE_BUSY_SNAPSHOT', true],
    ['SQLITE_IOERR_WRITE', true],
    ['SQLITE_CONSTRAINT_UNIQUE', false],
    [undefined, false],
  ])('fault %s of the whole database: %s', (code, whole) => {
    expect(isWholeDatabase(Object.assign(new Error(), { code }))).toBe(whole);
  });
});
