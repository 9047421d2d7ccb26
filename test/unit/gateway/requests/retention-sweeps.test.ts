import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweepWhile } from '../../../../src/gateway/requests/retention.js';
import { StoreUnavailable, storageFault } from '../../../../src/storage/storage-fault.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const [second, hour, day] = [1000, 3_600_000, 86_400_000];
let clock: VirtualClock;
let queue: TestQueue;
let stopping: AbortController;
let swept: Promise<unknown>;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await swept;
  await queue.close();
});

/** So many requests that ended just now. */
async function finish(count: number): Promise<void> {
  const ids = await Promise.all(Array.from({ length: count }, () => queue.prompt('p')));
  await queue.journal.write((atUtc) => {
    for (const requestId of ids) {
      queue.queue.start(atUtc, requestId, 'submit_prompt');
      queue.queue.finish(atUtc, { requestId, state: 'completed', error: null, result: null });
    }
  });
}
const kept = (): number =>
  queue.store.prepare<[], { n: number }>('SELECT count(*) AS n FROM gateway_requests').get()?.n ?? -1;
/** Forgets what is older than 30 days. @returns what goes wrong with that. */
async function sweep(): Promise<() => unknown> {
  let fault: unknown = null;
  swept = sweepWhile(
    { ...queue, turns: queue.turnTable, clock, report: (line) => void queue.faults.push(line) },
    30,
    stopping.signal,
  ).catch((error: unknown) => {
    fault = error;
  });
  await queue.atRest();
  return () => fault;
}
async function pass(milliseconds: number): Promise<void> {
  clock.pass(milliseconds);
  await queue.atRest();
}

test('a request is kept to the second for as many days as were asked for, and what waits for ever', async () => {
  await finish(1);
  const waiting = await queue.prompt('waits');
  clock.pass(30 * day);
  await sweep();
  expect(kept()).toBe(2);
  await pass(10);
  await pass(hour);
  expect(kept()).toBe(1);
  expect(queue.reader.find(waiting)?.state).toBe('accepted');
});

test('it is looked for once in an hour', async () => {
  await finish(1);
  clock.pass(30 * day - second);
  await sweep();
  await pass(10);
  await pass(hour - second);
  expect(kept()).toBe(1);
  await pass(second);
  expect(kept()).toBe(0);
});

test('many are forgotten in batches of 200, between which other work has its turn', async () => {
  await finish(401);
  clock.pass(31 * day);
  await sweep();
  expect(kept()).toBe(201);
  await pass(9);
  expect(kept()).toBe(201);
  await pass(1);
  expect(kept()).toBe(1);
  await pass(10);
  expect(kept()).toBe(0);
});

test('exactly one batch is followed by a look for more, and that by rest', async () => {
  await finish(200);
  clock.pass(31 * day);
  await sweep();
  expect(kept()).toBe(0);
  const before = queue.journal.transaction;
  await pass(10);
  expect(queue.journal.transaction).toBe(before + 1);
  await pass(10);
  expect(queue.journal.transaction).toBe(before + 1);
});

test('a gateway that stops leaves the rest to the next, and begins nothing', async () => {
  await finish(201);
  clock.pass(31 * day);
  await sweep();
  stopping.abort();
  await swept;
  expect(kept()).toBe(1);
  await sweep();
  expect(kept()).toBe(1);
});

test('after the clock was set nothing is deleted for an hour, and that is said', async () => {
  await finish(1);
  await sweep();
  await pass(10);
  clock.set('2027-01-01T00:00:00Z');
  await pass(hour);
  expect(kept()).toBe(1);
  expect(queue.faults).toEqual(['the clock was set by 31536000 s; nothing is deleted for an hour']);
  await pass(hour);
  expect([kept(), queue.faults.length]).toEqual([0, 1]);
});

test('a database that takes no writes is tried again in an hour, silently: its watch has reported it', async () => {
  await finish(1);
  clock.pass(31 * day);
  const { transact } = queue.store;
  const full = storageFault('disk_full', { path: '/q.sqlite', thing: 'queue', program: 'test' });
  queue.store.transact = () => {
    throw new StoreUnavailable(full);
  };
  const fault = await sweep();
  queue.store.transact = transact;
  expect([kept(), fault(), queue.faults]).toEqual([1, null, []]);
  await pass(hour);
  expect(kept()).toBe(0);
});

test('a fault of ours is not kept silent', async () => {
  await finish(1);
  clock.pass(31 * day);
  const stop = queue.refuse('DELETE ON gateway_requests');
  const fault = await sweep();
  stop();
  expect(fault()).toMatchObject({ message: 'refused' });
});
