import { afterEach, beforeEach, expect, test } from 'vitest';
import { wakeWhenDone } from '../../../../src/dispatch/queue/request-journal.js';
import { deferred } from '../../../../src/foundation/concurrency.js';
import type { Verdict } from '../../../../src/turn/turn-end.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

/** A request that somebody waits for, and what becomes of its turn. */
async function waitedFor() {
  const requestId = await queue.prompt('x');
  const delivered = deferred<boolean | 'left'>();
  const over = deferred<Verdict | null>();
  const reported = queue.reportedOf(requestId);
  const parts = { ...queue, report: (fault: string) => expect.unreachable(fault) };
  wakeWhenDone({ delivered: delivered.promise, over: over.promise }, requestId, parts);
  const end = (state: 'completed' | 'failed') =>
    queue.journal.write((atUtc) =>
      queue.queue.finish(atUtc, { requestId, state, error: null, result: null }),
    );
  return { delivered, over, reported, end };
}

test('a waiting caller learns of the end once the delivery has ended the request', async () => {
  const { delivered, reported, end } = await waitedFor();
  await end('completed');
  delivered.resolve(true);
  await expect.poll(() => reported).toEqual(['completed']);
});

test.each([true, false])('and not before that: delivered %s', async (isDelivered) => {
  const { delivered, over, reported, end } = await waitedFor();
  delivered.resolve(isDelivered);
  await end('failed');
  over.resolve(null);
  await expect.poll(() => reported).toEqual(['failed']);
});
