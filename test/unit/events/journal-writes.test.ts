import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventTable, eventSchema } from '../../../src/events/event-table.js';
import { Journal } from '../../../src/events/journal.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let folder: string;
let store: WatchedDatabase;
let clock: VirtualClock;
let events: EventTable;
let journal: Journal;
let reported: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-journal-'));
  const name = { path: join(folder, 'store.sqlite'), thing: 'store', program: 'test' };
  store = new WatchedDatabase(name, [eventSchema], () => undefined);
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  events = new EventTable(store);
  reported = [];
  journal = new Journal({
    store,
    events,
    clock,
    guard: { enter: () => undefined, leave: (answer) => answer(), locked: () => undefined },
    committed: (fresh) => void reported.push(...fresh.map(({ seq }) => seq)),
  });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const happen = (atUtc: string): void =>
  journal.event(atUtc, { kind: 'gateway_stopping', subjectId: null, data: {} });
const fail = (): never => {
  throw new Error('no');
};
const noSignal = new AbortController().signal;

describe('memory that mirrors the database', () => {
  test('goes back with its transaction, all of it, and stays where the transaction does', async () => {
    const values = [0, 0];
    for (const index of [0, 1])
      journal.keep({
        snapshot: () => {
          const before = values[index] ?? 0;
          return () => {
            values[index] = before;
          };
        },
      });
    const count = (): void => {
      for (const index of [0, 1]) values[index] = (values[index] ?? 0) + 1;
    };
    await journal.write(count);
    await expect(
      journal.write(() => {
        count();
        fail();
      }),
    ).rejects.toThrow('no');
    expect(values).toEqual([1, 1]);
  });

  test('each transaction has a number of its own, the same for all work in it', async () => {
    const number = () => journal.write(() => journal.transaction);
    const [a, b] = await Promise.all([number(), number()]);
    const c = await number();
    expect(a).toBe(b);
    expect(c).not.toBe(a);
  });
});

describe('events', () => {
  test('several of one transaction stay hidden together until they are on disk', async () => {
    const [asked, synced] = [deferred<void>(), deferred<boolean>()];
    store.sync = () => {
      asked.resolve();
      return synced.promise;
    };
    const written = journal.write((atUtc) => {
      for (let count = 0; count < 3; count += 1) happen(atUtc);
    });
    await asked.promise;
    expect([events.last(), events.readAfter(0, 10), reported]).toEqual([0, [], []]);
    synced.resolve(true);
    await written;
    expect([events.last(), reported]).toEqual([3, [1, 2, 3]]);
  });

  test('those of a group that went back leave those before them, which wait for the disk', async () => {
    store.sync = async () => false;
    await journal.write(happen);
    await expect(
      journal.write((atUtc) => {
        happen(atUtc);
        fail();
      }),
    ).rejects.toThrow('no');
    store.sync = async () => true;
    await journal.write(happen);
    expect(reported).toEqual([1, 2]);
    expect(events.readAfter(0, 10).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('are reported once', async () => {
    await journal.write(happen);
    await journal.write(() => undefined);
    await journal.write(happen);
    expect(reported).toEqual([1, 2]);
  });
});

test('what is read together is of one moment', () => {
  const other = openDatabase(store.name.path);
  const count = store.prepare<[], { n: number }>('SELECT count(*) AS n FROM events');
  const seen = journal.read(() => {
    const before = count.get()?.n;
    other.exec("INSERT INTO events (at_utc, kind, data_json) VALUES ('', '', '{}')");
    return [before, count.get()?.n];
  });
  expect(seen).toEqual([0, 0]);
  expect(count.get()?.n).toBe(1);
  other.close();
});

describe('what has happened already', () => {
  const refused: string[] = [];
  beforeEach(() => {
    refused.length = 0;
  });
  const note = (error: unknown): void => void refused.push((error as Error).message);

  test('is reported as refused once, and tried again each second, not sooner', async () => {
    let tries = 0;
    const written = journal.writeAtLast(
      () => {
        tries += 1;
        if (tries < 4) throw new Error(`try ${tries}`);
      },
      note,
      noSignal,
    );
    const rest = async (): Promise<void> => {
      for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    };
    await rest();
    expect([tries, refused]).toEqual([1, ['try 1']]);
    clock.pass(999);
    await rest();
    expect(tries).toBe(1);
    clock.pass(1);
    await rest();
    expect(tries).toBe(2);
    expect([await clock.passUntil(written, 1000, rest), tries, refused]).toEqual([true, 4, ['try 1']]);
  });

  test('that is written at once is not reported', async () => {
    expect(await journal.writeAtLast(happen, note, noSignal)).toBe(true);
    expect([reported, refused]).toEqual([[1], []]);
  });

  test('is given up by a program that ends, in the middle of a pause too', async () => {
    const ending = new AbortController();
    const written = journal.writeAtLast(fail, note, ending.signal);
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    ending.abort();
    expect([await written, refused]).toEqual([false, ['no']]);
  });

  test('is tried once by a program that ends already', async () => {
    expect(await journal.writeAtLast(fail, note, AbortSignal.abort())).toBe(false);
    expect(refused).toEqual(['no']);
  });
});
