import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

test('whoever waits for a request that is cancelled is told at once', async () => {
  const id = await queue.prompt('p');
  const told = queue.toldOf(id);
  expect(await queue.control.cancel(id)).toBeNull();
  await queue.atRest();
  expect(told).toEqual(['cancelled']);
  expect(queue.waiters.count).toBe(0);
});

test('whoever waits for a request that is discarded is told at once', async () => {
  const id = await queue.prompt('p');
  const told = queue.toldOf(id);
  queue.target.inspection = { ...queue.target.inspection, instanceId: 'another' };
  await queue.control.reconcile('discard');
  await queue.atRest();
  expect(told).toEqual(['cancelled']);
});
