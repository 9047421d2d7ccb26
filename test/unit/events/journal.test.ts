import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventTable, eventSchema } from '../../../src/events/event-table.js';
import { Journal } from '../../../src/events/journal.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { CommitGuard } from '../../../src/storage/group-commit.js';
import { StoreUnavailable, storageFault } from '../../../src/storage/storage-fault.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let folder: string;
let store: WatchedDatabase;
let clock: VirtualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-journal-'));
  const name = { path: join(folder, 'store.sqlite'), thing: 'store', program: 'test' };
  store = new WatchedDatabase(name, [eventSchema], () => undefined);
  clock = new VirtualClock('2026-01-01T00:00:00Z');
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const openGuard: CommitGuard = {
  enter: () => undefined,
  leave: (answer) => answer(),
  locked: () => undefined,
};

function open(guard: Partial<CommitGuard> = {}) {
  const reported: string[] = [];
  const events = new EventTable(store);
  const journal = new Journal({
    store,
    events,
    clock,
    guard: { ...openGuard, ...guard },
    committed: (fresh) => void reported.push(...fresh.map(({ kind }) => kind)),
  });
  const happen = (kind: 'gateway_stopping' | 'fault') =>
    journal.write((atUtc) => {
      const data = kind === 'fault' ? { detail: 'bad' } : {};
      journal.event(atUtc, { kind, subjectId: null, data } as Parameters<Journal['event']>[1]);
      if (kind === 'fault') throw new Error('bad');
    });
  return { journal, events, reported, happen };
}
/** Another program holds the database until the result is called. */
function lock(): () => void {
  const other = openDatabase(store.name.path);
  other.exec('BEGIN IMMEDIATE');
  return () => other.close();
}
const noSignal = new AbortController().signal;

test('events of a transaction that went back were never there, for nobody', async () => {
  const { events, reported, happen } = open();
  const results = await Promise.allSettled([
    happen('gateway_stopping'),
    happen('fault'),
    happen('gateway_stopping'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const good = ['gateway_stopping', 'gateway_stopping'];
  expect(reported).toEqual(good);
  expect(events.readAfter(0, 10).map(({ kind }) => kind)).toEqual(good);
});

test('what was committed, though not where the next start looks for it, is not written again', async () => {
  const fault = storageFault('replaced', store.name);
  const { journal } = open({ leave: (_answer, refuse) => refuse(new StoreUnavailable(fault, true)) });
  const calls: string[] = [];
  const written = await journal.writeAtLast(
    () => void calls.push('work'),
    () => void calls.push('refused'),
    noSignal,
  );
  expect([written, calls]).toEqual([false, ['work', 'refused']]);
});

test('what was refused is tried again until it is on disk', async () => {
  const { journal } = open();
  let calls = 0;
  const written = journal.writeAtLast(
    () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
    },
    () => undefined,
    noSignal,
  );
  expect([await clock.passUntil(written, 1000), calls]).toEqual([true, 3]);
});

test('the last commit waits for no lock: a caller that still waits learns that it was refused', async () => {
  const { journal, happen } = open();
  const letGo = lock();
  const refused = happen('gateway_stopping').catch((error: unknown) => error);
  await nextTurn();
  await nextTurn();
  await journal.finish();
  expect(await refused).toMatchObject({ committed: false, fault: { code: 'locked' } });
  letGo();
});

test('an event is reported, and can be read, only when it is on disk', async () => {
  const { events, reported, happen } = open();
  await happen('gateway_stopping');
  const [asked, synced] = [deferred<void>(), deferred<boolean>()];
  store.sync = () => {
    asked.resolve();
    return synced.promise;
  };
  const second = happen('gateway_stopping');
  await asked.promise;
  // It is written, and nobody follows it: its number could become another one's.
  expect(store.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: 2 });
  expect([reported.length, events.readAfter(0, 10).length]).toEqual([1, 1]);
  synced.resolve(true);
  await second;
  expect([reported.length, events.readAfter(0, 10).length]).toEqual([2, 2]);
});

test('events whose sync failed are reported with the next that succeeds, in their order', async () => {
  const { events, reported, happen } = open();
  store.sync = async () => false;
  await happen('gateway_stopping');
  expect([reported, events.readAfter(0, 10)]).toEqual([[], []]);
  store.sync = async () => true;
  await Promise.allSettled([happen('gateway_stopping'), happen('fault')]);
  expect(reported).toEqual(['gateway_stopping', 'gateway_stopping']);
  expect(events.readAfter(0, 10)).toHaveLength(2);
});

test('every piece has the time at which it is written, by the second, wherever the clock goes', async () => {
  const { journal } = open();
  const at = () => journal.write((atUtc) => atUtc);
  const seen = [await at()];
  clock.pass(999);
  seen.push(await at());
  clock.pass(1);
  seen.push(await at());
  clock.set('2025-12-31T23:59:59.500Z');
  seen.push(await at());
  expect(seen).toEqual([
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:01+00:00',
    '2025-12-31T23:59:59+00:00',
  ]);
});
