import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reminder } from '../../../../src/dispatch/reminders/reminder.js';
import { toMicrosecondStamp } from '../../../../src/foundation/clock.js';
import { deferred } from '../../../../src/foundation/concurrency.js';
import { toDefinition } from '../../../../src/gateway/handlers/reminders.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

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
  toDefinition({ mode: 'one_off', title: 't', prompt: 'p', ranking: 0, ...given } as never);
async function add(given: object): Promise<string> {
  const added = await queue.reminders.create([definition(given)]);
  return 'refusal' in added ? '' : (added.shown[0]?.id ?? '');
}
const stampOf = (reminder?: Reminder) => reminder && toMicrosecondStamp(new Date(reminder.dueAt));
const prompts = () => queue.target.started.map((turn) => turn.prompt);
/** Lets time pass, and everything that it wakes come to rest. */
async function pass(ms: number): Promise<void> {
  await queue.atRest();
  clock.pass(ms);
  await queue.atRest();
}

/** Lets time pass, a step at a time, until so many prompts were given, or a hundred steps have brought no such thing. */
async function passUntilPrompts(count: number, step: number): Promise<void> {
  for (let steps = 0; steps < 100 && prompts().length < count; steps += 1) await pass(step);
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
  const due = () => stampOf(queue.reminders.get(id)?.reminder);
  await pass(60_000);
  expect(queue.reminders.get(id)?.reminder.executing).toBe(true);
  await pass(200_000);
  queue.target.end();
  await queue.atRest();
  expect(prompts()).toHaveLength(1);
  expect(due()).toBe('2026-01-01T00:05:00+00:00');
  await pass(40_000);
  expect(prompts()).toHaveLength(2);
});

test('a clock that is set forward is noticed, and what was missed comes once', async () => {
  await add({ mode: 'repeat', start_after_seconds: 3600, interval_seconds: 3600 });
  await queue.atRest();
  clock.set('2026-01-11T00:30:00Z');
  await pass(10_000);
  expect(prompts()).toHaveLength(1);
  queue.target.end();
  await queue.atRest();
  await pass(10_000);
  expect(prompts()).toHaveLength(1);
  expect(stampOf(queue.reminders.list().shown[0])).toBe('2026-01-11T01:00:00+00:00');
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
  await queue.atRest();
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
  // The last look at the agent is too old by then.
  clock.pass(2000);
  queue.target.end();
  await queue.atRest();
  expect(prompts()).toEqual(['running', 'queued']);
  queue.target.inspection = {
    ...queue.target.inspection,
    connected: true,
    reasons: [],
    acceptsPrompts: true,
    detail: null,
  };
  await passUntilPrompts(3, 1000);
  expect(prompts()).toEqual(['running', 'queued', 'p']);
});

test('a fault of the target fails this delivery and keeps no other back', async () => {
  queue.target.resolveFault = new Error('broken');
  const broken = await add({ deliver_at_utc: '2020-01-01', prompt: 'broken' });
  await queue.atRest();
  expect(queue.faults.join()).toContain('broken');
  expect(queue.reminders.get(broken)).toBeNull();
  queue.target.resolveFault = null;
  await add({ deliver_at_utc: '2020-01-01', prompt: 'next' });
  await queue.atRest();
  expect(prompts()).toEqual(['next']);
});

test('is not delivered to an agent that has gone since the last look', async () => {
  await add({ start_after_seconds: 60 });
  await pass(59_500);
  await queue.axes.observe();
  const seen = queue.target.inspection;
  queue.target.inspection = { ...seen, connected: false, acceptsPrompts: false, detail: 'gone' };
  await pass(500);
  expect(prompts()).toEqual([]);
  queue.target.inspection = seen;
  await passUntilPrompts(1, 200);
  expect(prompts()).toEqual(['p']);
});

/** The next look at the agent asks, and waits for an answer. */
function holdLook() {
  const [asked, answer] = [deferred<void>(), deferred<void>()];
  queue.target.probe = () => {
    asked.resolve();
    return answer.promise;
  };
  clock.pass(2000);
  return { asked, answer };
}

test('one that was changed while the agent was looked at is not delivered in its old form', async () => {
  const { asked, answer } = holdLook();
  const id = await add({ deliver_at_utc: '2020-01-01', prompt: 'old' });
  await asked.promise;
  await queue.reminders.update(id, definition({ deliver_at_utc: '2020-01-01', prompt: 'new' }));
  queue.target.probe = async () => undefined;
  answer.resolve();
  await queue.atRest();
  expect(prompts()).toEqual(['new']);
});

test('one that was changed in the commit that would have claimed it is not delivered in its old form', async () => {
  const { asked, answer } = holdLook();
  const id = await add({ deliver_at_utc: '2020-01-01', prompt: 'old' });
  await asked.promise;
  queue.target.probe = async () => undefined;
  // Its write waits for the commit while the loop, which has not seen it yet, claims.
  const updated = queue.reminders.update(id, definition({ deliver_at_utc: '2020-01-01', prompt: 'new' }));
  answer.resolve();
  await updated;
  await queue.atRest();
  expect(prompts()).not.toContain('old');
  await pass(1000);
  expect(prompts()).toEqual(['new']);
});

test('reminders that are still there when the gateway goes down are reported, and the set is empty', async () => {
  await add({ start_after_seconds: 60 });
  await queue.reminders.lose();
  expect(queue.reminders.list().shown).toEqual([]);
});

test('a queue that takes no writes makes no reminder', async () => {
  queue.store.prepare('DROP TABLE events').run();
  await expect(add({ start_after_seconds: 60 })).rejects.toThrow();
  expect(queue.reminders.list().shown).toEqual([]);
});
