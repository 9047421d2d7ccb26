import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

test.each([true, false])('a pause (%s) that could not be stored is none', async (paused) => {
  await queue.control.setPaused(!paused);
  const allow = queue.refuse('INSERT ON events');
  await expect(queue.control.setPaused(paused)).rejects.toThrow('refused');
  expect(queue.queue.paused).toBe(!paused);
  allow();
  await queue.control.setPaused(paused);
  expect(queue.queue.paused).toBe(paused);
});

test('a request that could not be stored is not counted', async () => {
  const allow = queue.refuse('INSERT ON events');
  await expect(queue.prompt('p')).rejects.toThrow('refused');
  expect(queue.queue.depth).toBe(0);
  allow();
  await queue.prompt('p');
  expect(queue.queue.depth).toBe(1);
});
