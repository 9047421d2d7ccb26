import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deferred } from '../../../../src/foundation/concurrency.js';
import { turnArtifacts } from '../../../../src/session/session-paths.js';
import { answered } from '../../../support/fake-target.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const state = (requestId: string) => queue.reader.find(requestId)?.state;

test('takes prompts one by one, in order', async () => {
  queue.worker.start();
  const ids = [await queue.prompt('one'), await queue.prompt('two'), await queue.prompt('three')];
  for (const [index, id] of ids.entries()) {
    await queue.atRest();
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
  expect(queue.reader.find(first)?.error).toEqual({
    code: 'internal_fault',
    detail: expect.stringContaining('unheard of'),
  });
  queue.target.resolveFault = null;
  const second = await queue.prompt('lucky');
  await queue.atRest();
  queue.target.end();
  expect(await queue.final(second)).toBe('completed');
});

test('a fault at the end of one turn fails that request, tells who waits, and the next one runs', async () => {
  queue.target.signs = { ...answered, completion: null, stderrTail: null as never };
  queue.worker.start();
  const [first, second] = [await queue.prompt('unlucky'), await queue.prompt('lucky')];
  await queue.atRest();
  const reported = queue.reportedOf(first);
  queue.target.end();
  queue.target.signs = answered;
  await queue.target.turns(2);
  queue.target.end();
  expect(await queue.final(second)).toBe('completed');
  expect(reported).toEqual(['failed']);
  expect(queue.reader.find(first)?.error?.code).toBe('internal_fault');
  expect(queue.queue.depth).toBe(0);
});

test('a row that cannot be read fails and blocks no other', async () => {
  const broken = { requestId: 'broken', kind: 'submit_prompt', payloadJson: 'null', epoch: 1 } as const;
  await queue.journal.write((acceptedAtUtc) => queue.queue.accept({ ...broken, acceptedAtUtc }));
  queue.worker.start();
  const next = await queue.prompt('fine');
  expect(await queue.final('broken')).toBe('failed');
  await queue.atRest();
  queue.target.end();
  expect(await queue.final(next)).toBe('completed');
  expect(queue.queue.depth).toBe(0);
});

test('a gateway that is asked to stop during the probe starts nothing after it', async () => {
  const [asked, probing] = [deferred<void>(), deferred<void>()];
  queue.target.probe = () => {
    asked.resolve();
    return probing.promise;
  };
  queue.worker.start();
  const id = await queue.prompt('too late');
  await asked.promise;
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
  await queue.turns.begin(queue.order('t1'), { claimed: () => true, ended: () => undefined });
  const late = await queue.interrupt();
  queue.worker.start();
  expect(await queue.final(early)).toBe('completed');
  expect(await queue.final(late)).toBe('coalesced');
  expect(queue.reader.find(early)?.result).toEqual({ outcome: 'stopped', turn_id: 't1', signal: 'SIGINT' });
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
  await queue.axes.observe();
  queue.worker.start();
  await queue.atRest();
  expect(ids.map(state)).toEqual(['accepted', 'accepted', 'accepted']);
});

test('a long row of context commands keeps its order, and falls together when its turn has come', async () => {
  queue.worker.start();
  const holder = await queue.prompt('holder');
  await queue.atRest();
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1)
    ids.push(...(await Promise.all(Array.from({ length: 100 }, () => queue.prompt('/compact')))));
  const places = queue.reader
    .list({ state: 'accepted' }, Number.MAX_SAFE_INTEGER, 200)
    .records.map((record) => record.queue_position);
  expect(places).toEqual(Array.from({ length: 200 }, (_, n) => 3999 - n));
  queue.target.end();
  expect(await queue.final(holder)).toBe('completed');
  await queue.atRest();
  queue.target.end();
  expect(await queue.final(ids.at(-1) ?? '')).toBe('completed');
  expect(state(ids[0] ?? '')).toBe('coalesced');
  expect(queue.queue.depth).toBe(0);
});

test('a request that is cancelled in the commit that would have claimed it never starts', async () => {
  const [asked, answer] = [deferred<void>(), deferred<void>()];
  queue.target.probe = () => {
    asked.resolve();
    return answer.promise;
  };
  queue.worker.start();
  const id = await queue.prompt('not any more');
  await asked.promise;
  const cancelled = queue.control.cancel(id);
  // The row still reads `accepted`: the worker claims it in the same commit, behind the cancellation.
  answer.resolve();
  expect(await cancelled).toBeNull();
  await queue.atRest();
  expect(queue.target.started).toEqual([]);
  expect([state(id), queue.slot.free, queue.queue.depth]).toEqual(['cancelled', true, 0]);
});

test('what a prompt supersedes stays as it was when the prompt cannot be claimed', async () => {
  const ids = [
    await queue.prompt('/compact'),
    await queue.prompt('/compact'),
    await queue.prompt('/compact'),
  ];
  const allow = queue.refuse('INSERT ON turns');
  queue.worker.start();
  for (const id of ids) expect(await queue.final(id)).toBe('failed');
  allow();
  expect(queue.target.started).toEqual([]);
});

test('a turn whose name has run while it waited is not run again', async () => {
  await queue.control.setPaused(true);
  const payload = { prompt: 'p', turn_id: 'mine' };
  const taken = await queue.intake.accept(
    { schema_version: 1, kind: 'submit_prompt', payload },
    { key: null, ifTurn: null, metadata: null },
  );
  const id = 'accepted' in taken ? taken.accepted.request_id : '';
  const files = turnArtifacts(queue.paths, 'mine');
  mkdirSync(files.directory, { recursive: true });
  writeFileSync(files.exitCode, '0');
  queue.worker.start();
  await queue.control.setPaused(false);
  expect(await queue.final(id)).toBe('failed');
  expect(queue.reader.find(id)?.error).toEqual({
    code: 'internal_fault',
    detail: 'A turn named mine has run meanwhile.',
  });
  expect(queue.target.started).toEqual([]);
});

test('a caller that waits for a prompt that another one supersedes learns that at once', async () => {
  const ids = [await queue.prompt('/compact'), await queue.prompt('/compact')];
  const reported = queue.reportedOf(ids[0] ?? '');
  queue.worker.start();
  await queue.atRest();
  expect(reported).toEqual(['coalesced']);
  queue.target.end();
});

test('nothing starts before its claim is on disk', async () => {
  const id = await queue.prompt('p');
  const [asked, synced] = [deferred<void>(), deferred<boolean>()];
  const sync = queue.store.sync.bind(queue.store);
  queue.store.sync = () => {
    asked.resolve();
    return synced.promise;
  };
  queue.worker.start();
  await asked.promise;
  // The claim is written, and can be read.
  expect([state(id), queue.target.started]).toEqual(['running', []]);
  queue.store.sync = sync;
  synced.resolve(true);
  await queue.atRest();
  expect(queue.target.started).toHaveLength(1);
});

test('a prompt about mail that is gone is completed without being sent, and its caller learns that', async () => {
  const row = {
    kind: 'mail_notifier_prompt',
    payloadJson: JSON.stringify({ prompt: 'mail' }),
    epoch: 1,
  } as const;
  const queued = (requestId: string): Promise<boolean> =>
    queue.journal.write((atUtc) => queue.queue.accept({ ...row, requestId, acceptedAtUtc: atUtc }));
  const dropped: string[] = [];
  queue.notices.stale = async () => ({
    detail: 'The mail was gone.',
    dropped: (requestId) => void dropped.push(requestId),
  });
  await queued('gwreq-gone');
  const reported = queue.reportedOf('gwreq-gone');
  const other = await queue.prompt('not of mail');
  queue.worker.start();
  await queue.target.turns(1);
  expect(queue.reader.find('gwreq-gone')).toMatchObject({
    state: 'completed',
    turn: null,
    error: null,
    not_sent: 'The mail was gone.',
  });
  expect([reported, dropped]).toEqual([['completed'], ['gwreq-gone']]);
  queue.target.end();
  expect(await queue.final(other)).toBe('completed');
  queue.notices.stale = async () => null;
  await queued('gwreq-there');
  queue.worker.wake();
  await queue.target.turns(2);
  queue.target.end();
  expect(await queue.final('gwreq-there')).toBe('completed');
  expect(queue.target.started.map(({ prompt }) => prompt)).toEqual(['not of mail', 'mail']);
});
