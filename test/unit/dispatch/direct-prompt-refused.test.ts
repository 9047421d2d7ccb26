import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue(new VirtualClock('2026-01-01T00:00:00Z'));
  Object.assign(queue.target, { remote: true, handsOver: false });
});
afterEach(() => queue.close());

/** Sends a prompt to a server that ends its turn without having taken it. */
async function refused(error: { code: 'peer_refused'; detail: string } | null) {
  queue.target.signs = {
    ...queue.target.signs,
    completion: null,
    reportedOutcome: { outcome: 'interrupted', error },
  };
  const answer = queue.prompts.send({ prompt: 'p', force: false, chatSession: null, execution: null });
  await queue.target.turns(1);
  queue.target.end();
  return answer;
}

test('a prompt that its server refuses leaves the fresh conversation to the next', async () => {
  queue.override.set();
  expect(await refused({ code: 'peer_refused', detail: 'no' })).toEqual({
    code: 'dispatch_failed',
    detail: 'no',
    begunAs: expect.any(String),
  });
  expect(queue.override.pending).toEqual({ mode: 'new' });
});

test('a prompt that its server refuses without a reason is refused in our words', async () => {
  expect(await refused(null)).toEqual({
    code: 'dispatch_failed',
    detail: 'The agent ended before it had the prompt.',
    begunAs: expect.any(String),
  });
});
