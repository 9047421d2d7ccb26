import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

test('a caller that waits for a request that is cancelled learns that at once', async () => {
  const id = await queue.prompt('p');
  const reported = queue.reportedOf(id);
  expect(await queue.control.cancel(id)).toBeNull();
  await queue.atRest();
  expect(reported).toEqual(['cancelled']);
  expect(queue.waiters.count).toBe(0);
});

test('a caller that waits for a request that is discarded learns that at once', async () => {
  const id = await queue.prompt('p');
  const reported = queue.reportedOf(id);
  queue.target.inspection = { ...queue.target.inspection, instanceId: 'another' };
  await queue.control.reconcile('discard');
  await queue.atRest();
  expect(reported).toEqual(['cancelled']);
});
