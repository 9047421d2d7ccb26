import { afterEach, beforeEach, expect, test } from 'vitest';
import { storageFault } from '../../../../src/storage/storage-fault.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let queue: TestQueue;
beforeEach(async () => {
  // Time stands still: nothing ends a fault by itself.
  queue = await makeQueue(new VirtualClock('2026-01-01T00:00:00Z'));
});
afterEach(() => queue.close());

const submit = (key: string) =>
  queue.intake.accept(
    { schema_version: 1, kind: 'submit_prompt', payload: { prompt: 'p' } },
    { key, ifTurn: null, metadata: null },
  );

test.each([
  [
    'gone',
    'unavailable',
    async () => {
      queue.target.inspection = { ...queue.target.inspection, connected: false, acceptsPrompts: false };
      await queue.axes.observe();
    },
  ],
  [
    'replaced',
    'reconciliation',
    async () => {
      queue.target.inspection = { ...queue.target.inspection, instanceId: 'another' };
      await queue.axes.observe();
    },
  ],
  [
    'there, and its disk full',
    'unavailable',
    async () => queue.storage.met(storageFault('disk_full', queue.store.name)),
  ],
])('a key that was used gets its answer again with the agent %s', async (_how, code, happen) => {
  const first = await submit('a key');
  expect(first).toMatchObject({ accepted: { state: 'accepted' }, replayed: false });
  await happen();
  expect(await submit('another key')).toMatchObject({ refusal: { code } });
  expect(await submit('a key')).toEqual({ ...first, replayed: true });
  expect(queue.queue.depth).toBe(1);
});
