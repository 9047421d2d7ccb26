import { afterEach, beforeEach, expect, test } from 'vitest';
import { deferred } from '../../../../src/foundation/concurrency.js';
import type { StopOutcome } from '../../../../src/run/running-turn.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

const state = (requestId: string) => queue.reader.find(requestId)?.state;

test('the end of an interrupt gets on disk, however long that takes', async () => {
  let allow: () => void = () => undefined;
  queue.target.interrupt = async () => {
    allow = queue.refuse('UPDATE ON gateway_requests');
    return { outcome: 'no_op' };
  };
  queue.worker.start();
  const id = await queue.interrupt();
  await queue.atRest();
  expect(state(id)).toBe('running');
  allow();
  clock.pass(1000);
  await queue.atRest();
  expect(state(id)).toBe('completed');
});

test('a worker that stops waits for the interrupt under way, and its end is on disk', async () => {
  const [asked, answer] = [deferred<void>(), deferred<StopOutcome>()];
  queue.target.interrupt = () => {
    asked.resolve();
    return answer.promise;
  };
  queue.worker.start();
  const id = await queue.interrupt();
  await asked.promise;
  const stopped = queue.worker.stop();
  answer.resolve({ outcome: 'no_op' });
  await stopped;
  expect(state(id)).toBe('completed');
});

test('a caller that waits for an interrupt that became part of another learns that at once', async () => {
  const ids = [await queue.interrupt(), await queue.interrupt()];
  const reported = queue.reportedOf(ids[1] ?? '');
  queue.worker.start();
  await queue.atRest();
  expect(reported).toEqual(['coalesced']);
});

test('what an interrupt supersedes stays as it was when the interrupt cannot be begun', async () => {
  const ids = [await queue.interrupt(), await queue.interrupt()];
  const allow = queue.refuse('UPDATE OF started_at_utc ON gateway_requests');
  queue.worker.start();
  await queue.atRest();
  expect(ids.map(state)).toEqual(['accepted', 'accepted']);
  allow();
  clock.pass(1000);
  await queue.atRest();
  expect(ids.map(state)).toEqual(['completed', 'coalesced']);
});
