import { afterEach, beforeEach, expect, test } from 'vitest';
import { deferred } from '../../../src/foundation/deferred.js';
import { makeQueue, settled, type TestQueue } from './test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const state = (requestId: string) => queue.requests.find(requestId)?.state;

test('takes prompts one by one, in order', async () => {
  queue.worker.start();
  const ids = [await queue.prompt('one'), await queue.prompt('two'), await queue.prompt('three')];
  for (const [index, id] of ids.entries()) {
    await settled();
    expect(queue.target.started).toHaveLength(index + 1);
    queue.target.end();
    expect(await queue.final(id)).toBe('completed');
  }
  expect(queue.target.started.map((turn) => turn.prompt)).toEqual(['one', 'two', 'three']);
});

test('a fault while starting one prompt fails that one, and the next runs', async () => {
  queue.target.resolveFault = new Error('something unheard of');
  queue.worker.start();
  const first = await queue.prompt('unlucky');
  expect(await queue.final(first)).toBe('failed');
  expect(queue.requests.find(first)?.error).toEqual({
    code: 'internal_fault',
    detail: expect.stringContaining('unheard of'),
  });
  queue.target.resolveFault = null;
  const second = await queue.prompt('lucky');
  await settled();
  queue.target.end();
  expect(await queue.final(second)).toBe('completed');
});

test('a row that cannot be read fails and blocks nobody', async () => {
  queue.database
    .prepare(
      `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, managed_agent_instance_epoch)
       VALUES ('broken', 'submit_prompt', 'null', 'accepted', 'x', 1)`,
    )
    .run();
  queue.journal.memory.depth += 1;
  queue.worker.start();
  const next = await queue.prompt('fine');
  expect(await queue.final('broken')).toBe('failed');
  await settled();
  queue.target.end();
  expect(await queue.final(next)).toBe('completed');
  expect(queue.journal.memory.depth).toBe(0);
});

test('a gateway that is told to stop during the probe starts nothing after it', async () => {
  const probing = deferred<void>();
  queue.target.probe = () => probing.promise;
  queue.worker.start();
  const id = await queue.prompt('too late');
  await settled();
  const stopped = queue.worker.stop();
  await queue.turns.stopForShutdown();
  probing.resolve();
  await stopped;
  expect(queue.target.started).toEqual([]);
  expect(state(id)).toBe('accepted');
});

test('interrupts for different moments that became one still stop the turn that runs', async () => {
  // All are pending before the worker looks: the first was accepted while nothing ran.
  const early = await queue.interrupt();
  await queue.turns.begin(
    {
      turnId: 't1',
      prompt: 'p',
      origin: 'direct',
      requestId: null,
      tool: 'claude',
      options: { chatSession: null, execution: null },
      session: { mode: 'new' },
      model: { name: null, reasoningLevel: null },
      timeLimitSeconds: null,
    },
    { claimed: () => true, ended: () => undefined },
  );
  const late = await queue.interrupt();
  queue.worker.start();
  expect(await queue.final(early)).toBe('completed');
  expect(await queue.final(late)).toBe('coalesced');
  expect(queue.requests.find(early)?.result).toEqual({ outcome: 'stopped', turn_id: 't1', signal: 'SIGINT' });
  expect(queue.slot.free).toBe(true);
});

test('while admission is closed the queue stays as it is', async () => {
  const ids = [await queue.prompt('/compact'), await queue.interrupt(), await queue.prompt('/new')];
  queue.target.inspection = {
    ...queue.target.inspection,
    connected: false,
    acceptsPrompts: false,
    detail: 'gone',
  };
  await queue.board.look();
  queue.worker.start();
  await settled(300);
  expect(ids.map(state)).toEqual(['accepted', 'accepted', 'accepted']);
});

test('a long row of context commands keeps its order, and falls together when its turn has come', async () => {
  queue.worker.start();
  const holder = await queue.prompt('holder');
  await settled();
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1)
    ids.push(...(await Promise.all(Array.from({ length: 100 }, () => queue.prompt('/compact')))));
  const places = queue.requests
    .list('accepted', Number.MAX_SAFE_INTEGER, 200)
    .records.map((record) => record.queue_position);
  expect(places).toEqual(Array.from({ length: 200 }, (_, n) => 3999 - n));
  queue.target.end();
  expect(await queue.final(holder)).toBe('completed');
  await settled(300);
  queue.target.end();
  expect(await queue.final(ids.at(-1) ?? '')).toBe('completed');
  expect(state(ids[0] ?? '')).toBe('coalesced');
  expect(queue.journal.memory.depth).toBe(0);
});
