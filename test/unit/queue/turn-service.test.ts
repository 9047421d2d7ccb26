import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { makeQueue, settled, type TestQueue } from './test-queue.js';

let queue: TestQueue;
beforeEach(async () => {
  queue = await makeQueue();
});
afterEach(() => queue.close());

const order = (turnId: string) => ({
  turnId,
  prompt: 'p',
  origin: 'direct' as const,
  requestId: null,
  tool: 'claude',
  options: { chatSession: null, execution: null },
  session: { mode: 'new' } as const,
  model: { name: null, reasoningLevel: null },
  timeLimitSeconds: null as number | null,
});
const companion = { claimed: () => true, ended: () => undefined };
/** Another program holds the database, as a full disk would: no write gets through. */
function blockWrites(): () => void {
  const other = openDatabase(queue.paths.queue);
  other.exec('BEGIN IMMEDIATE');
  return () => other.close();
}

test('the end of a turn waits for a queue that takes no writes, and the slot with it', async () => {
  const begun = await queue.turns.begin(order('t1'), companion);
  const unblock = blockWrites();
  queue.target.end();
  await expect
    .poll(() => queue.faults.join(), { timeout: 5000 })
    .toMatch(/queue\.sqlite: another program holds it locked .*fuser/);
  expect(queue.slot.holder?.turnId).toBe('t1');
  unblock();
  expect((await begun?.over)?.outcome).toBe('completed');
  expect(queue.slot.free).toBe(true);
  expect(queue.journal.turns.find('t1')).toMatchObject({ state: 'ended', outcome: 'completed' });
});

test('a gateway that goes down does not wait for it', async () => {
  const begun = await queue.turns.begin(order('t1'), companion);
  const unblock = blockWrites();
  await queue.turns.stopForShutdown();
  // While the database is still blocked: waiting for it would never end.
  await begun?.over;
  expect(queue.slot.free).toBe(true);
  unblock();
});

test('a claim that is refused frees the slot', async () => {
  const unblock = blockWrites();
  await expect(queue.turns.begin(order('t1'), companion)).rejects.toThrow(/locked/);
  unblock();
  expect(queue.slot.free).toBe(true);
  expect(queue.target.started).toEqual([]);
});

test('whoever stops a turn that withdraws is not kept waiting', async () => {
  const begun = queue.turns.begin(order('t1'), { ...companion, claimed: () => false });
  const stopped = queue.turns.interrupt('t1');
  expect(await begun).toBeNull();
  expect(await stopped).toEqual({ outcome: 'no_op' });
  expect(queue.slot.free).toBe(true);
});

test('nothing begins once the gateway goes down, and a reservation is given back', async () => {
  const reservation = queue.slot.tryReserve();
  await queue.turns.stopForShutdown();
  expect(await queue.turns.begin(order('t1'), companion, reservation ?? undefined)).toBeNull();
  expect(await queue.turns.begin(order('t2'), companion)).toBeNull();
  expect(queue.slot.free).toBe(true);
  expect(queue.target.started).toEqual([]);
});

test('two interrupts send one ladder of signals', async () => {
  await queue.turns.begin(order('t1'), companion);
  const [first, second] = await Promise.all([queue.turns.interrupt('t1'), queue.turns.interrupt('t1')]);
  const stopped = { outcome: 'stopped', signal: 'SIGINT' };
  expect([first, second]).toEqual([stopped, stopped]);
  expect(await queue.turns.interrupt('t1')).toEqual({ outcome: 'no_op' });
});

test('a turn that outlasts its time is ended, and fails by that name; one within it is left alone', async () => {
  await queue.close();
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  const limited = { ...order('t1'), timeLimitSeconds: 60 };
  const begun = await queue.turns.begin(limited, companion);
  clock.pass(59_999);
  await settled();
  expect(queue.slot.holder?.turnId).toBe('t1');
  clock.pass(1);
  expect(await begun?.over).toMatchObject({ outcome: 'failed', error: { code: 'turn_time_limit' } });
  const quick = await queue.turns.begin({ ...limited, turnId: 't2' }, companion);
  queue.target.end();
  expect((await quick?.over)?.outcome).toBe('completed');
  const next = await queue.turns.begin(order('t3'), companion);
  clock.pass(600_000);
  await settled();
  expect(queue.slot.holder?.turnId).toBe('t3');
  queue.target.end();
  await next?.over;
});
