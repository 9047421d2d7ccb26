import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../support/virtual-clock.js';
import { makeQueue, settled, type TestQueue } from '../queue/test-queue.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  queue.reminderLoop.start();
});
afterEach(() => queue.close());

const hour = 3_600_000;
const definition = (given: object) =>
  ({ mode: 'one_off', title: 't', prompt: 'p', ranking: 0, ...given }) as never;
async function add(given: object): Promise<string> {
  const added = await queue.reminders.create([definition(given)]);
  return 'refusal' in added ? '' : (added.reminders[0]?.reminder_id ?? '');
}
const prompts = () => queue.target.started.map((turn) => turn.prompt);
/** Lets time pass, and everything that it wakes come to rest. */
async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await settled(20);
}

test('is delivered when its time has come, not before', async () => {
  await add({ start_after_seconds: 60 });
  await pass(59_999);
  expect(prompts()).toEqual([]);
  await pass(1);
  expect(prompts()).toEqual(['p']);
});

test('a repeating one keeps its grid, however long a delivery takes', async () => {
  const id = await add({ mode: 'repeat', start_after_seconds: 60, interval_seconds: 60 });
  const due = () => queue.reminders.get(id)?.next_due_at_utc;
  await pass(60_000);
  expect(queue.reminders.get(id)?.delivery_state).toBe('executing');
  await pass(200_000);
  queue.target.end();
  await settled();
  expect(prompts()).toHaveLength(1);
  expect(due()).toBe('2026-01-01T00:05:00+00:00');
  await pass(40_000);
  expect(prompts()).toHaveLength(2);
});

test('a clock that is set forward is noticed, and what was missed comes once', async () => {
  await add({ mode: 'repeat', start_after_seconds: 3600, interval_seconds: 3600 });
  await settled();
  clock.set('2026-01-11T00:30:00Z');
  await pass(10_000);
  expect(prompts()).toHaveLength(1);
  queue.target.end();
  await settled();
  await pass(10_000);
  expect(prompts()).toHaveLength(1);
  expect(queue.reminders.list().reminders[0]?.next_due_at_utc).toBe('2026-01-11T01:00:00+00:00');
});

test('a clock that is set back makes nothing early', async () => {
  await add({ deliver_at_utc: '2026-01-01T01:00:00Z' });
  clock.set('2025-12-31T00:00:00Z');
  await pass(24 * hour);
  expect(prompts()).toEqual([]);
  await pass(hour);
  expect(prompts()).toEqual(['p']);
});

test('waits behind what runs, what is queued and a closed admission', async () => {
  queue.worker.start();
  const running = await queue.prompt('running');
  await settled();
  await queue.prompt('queued');
  await add({ deliver_at_utc: '2020-01-01' });
  await pass(1000);
  expect(prompts()).toEqual(['running']);
  queue.target.end();
  expect(await queue.final(running)).toBe('completed');
  await pass(1000);
  expect(prompts()).toEqual(['running', 'queued']);
  queue.target.inspection = {
    ...queue.target.inspection,
    connected: false,
    acceptsPrompts: false,
    detail: 'gone',
  };
  queue.target.end();
  await pass(2000);
  expect(prompts()).toEqual(['running', 'queued']);
  queue.target.inspection = {
    ...queue.target.inspection,
    connected: true,
    acceptsPrompts: true,
    detail: null,
  };
  await pass(2000);
  expect(prompts()).toEqual(['running', 'queued', 'p']);
});

test('a fault of the target fails this delivery and keeps no other back', async () => {
  queue.target.resolveFault = new Error('broken');
  const broken = await add({ deliver_at_utc: '2020-01-01', prompt: 'broken' });
  await settled();
  expect(queue.faults.join()).toContain('broken');
  expect(queue.reminders.get(broken)).toBeNull();
  queue.target.resolveFault = null;
  await add({ deliver_at_utc: '2020-01-01', prompt: 'next' });
  await settled();
  expect(prompts()).toEqual(['next']);
});

test('one that was changed while the agent was looked at is not delivered in its old form', async () => {
  let answer: () => void = () => undefined;
  queue.target.probe = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  clock.pass(2000);
  const id = await add({ deliver_at_utc: '2020-01-01', prompt: 'old' });
  await settled();
  await queue.reminders.update(id, definition({ deliver_at_utc: '2020-01-01', prompt: 'new' }));
  queue.target.probe = async () => undefined;
  answer();
  await settled();
  expect(prompts()).toEqual(['new']);
});

test('what is still there when the gateway goes down is told, and the set is empty', async () => {
  await add({ start_after_seconds: 60 });
  await queue.reminders.lose();
  expect(queue.reminders.list().reminders).toEqual([]);
});

test('a queue that takes no writes makes no reminder', async () => {
  queue.database.prepare('DROP TABLE events').run();
  await expect(add({ start_after_seconds: 60 })).rejects.toThrow();
  expect(queue.reminders.list().reminders).toEqual([]);
});
