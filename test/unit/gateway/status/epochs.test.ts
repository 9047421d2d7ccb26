import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

test('an instance whose epoch could not be stored is noticed again', async () => {
  const allow = queue.refuse('INSERT ON events');
  await expect(queue.epochs.observe('another')).rejects.toThrow('refused');
  expect([queue.epochs.current, queue.epochs.needsReconciliation]).toEqual([1, false]);
  allow();
  await queue.epochs.observe('another');
  expect([queue.epochs.current, queue.epochs.needsReconciliation]).toEqual([2, true]);
});

test('work that could not be settled is not', async () => {
  await queue.epochs.observe('another');
  const allow = queue.refuse('INSERT ON events');
  await expect(queue.control.reconcile('adopt')).rejects.toThrow('refused');
  expect(queue.epochs.needsReconciliation).toBe(true);
  allow();
});
