import { afterEach, beforeEach, expect, test } from 'vitest';
import { Deferrals } from '../../../../src/dispatch/reminders/deferrals.js';
import { newReminder, type Reminder } from '../../../../src/dispatch/reminders/reminder.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
let deferrals: Deferrals;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  deferrals = new Deferrals(queue.journal, queue.book, clock);
});
afterEach(() => queue.close());

const make = (id: string): Reminder =>
  newReminder(
    id,
    {
      title: 't',
      ranking: 0,
      paused: false,
      intervalSeconds: null,
      delivery: { kind: 'prompt', prompt: 'p' },
      due: { at: 0 },
    },
    0,
  );
const hold = (...set: Reminder[]) => queue.journal.write(() => queue.book.replace(set));
/** Each event since the last look: the reason alone, or with the number of lines that were left out. */
let seen = 0;
function reported(): string[] {
  const rows = queue.store
    .prepare<[number], { seq: number; kind: string; subject_id: string; data_json: string }>(
      "SELECT * FROM events WHERE kind LIKE 'reminder%' AND seq > ? ORDER BY seq",
    )
    .all(seen);
  seen = rows.at(-1)?.seq ?? seen;
  return rows.map(({ kind, subject_id, data_json }) => {
    const { detail, suppressed } = JSON.parse(data_json);
    return kind === 'reminder_deferred'
      ? `${subject_id} deferred: ${detail}`
      : `${subject_id} reported: ${detail}, ${suppressed} left out`;
  });
}
beforeEach(() => {
  seen = 0;
});

test('each new reason has an event, and the log one line in half a minute that counts what it left out', async () => {
  const one = make('a');
  await hold(one);
  await deferrals.note(one, 'busy');
  expect(reported()).toEqual(['a deferred: busy', 'a reported: busy, 0 left out']);
  await deferrals.note(one, 'busy');
  await deferrals.note(one, 'queued');
  expect(reported()).toEqual(['a deferred: queued']);
  clock.pass(29_999);
  await deferrals.note(one, 'busy');
  expect(reported()).toEqual([]);
  clock.pass(1);
  await deferrals.note(one, 'queued');
  expect(reported()).toEqual(['a reported: queued, 3 left out']);
  clock.pass(30_000);
  await deferrals.note(one, 'queued');
  expect(reported()).toEqual(['a reported: queued, 0 left out']);
});

test('each reminder is reported for itself', async () => {
  const [a, b] = [make('a'), make('b')];
  await hold(a, b);
  await deferrals.note(a, 'busy');
  await deferrals.note(b, 'busy');
  expect(reported()).toHaveLength(4);
});

test.each([
  ['that is due again', (one: Reminder) => ({ ...one, dueAt: one.dueAt + 1 })],
  [
    'that was delivered meanwhile',
    (one: Reminder) => {
      deferrals.forget(one.id);
      return one;
    },
  ],
])('of one %s everything is reported again', async (_which, change) => {
  const one = make('a');
  await hold(one);
  await deferrals.note(one, 'busy');
  await deferrals.note(one, 'busy');
  reported();
  const again = change(one);
  await hold(again);
  await deferrals.note(again, 'busy');
  expect(reported()).toEqual(['a deferred: busy', 'a reported: busy, 0 left out']);
});

test('deferrals that were left out are reported at the end, once, of reminders that are still there', async () => {
  const [a, b, c] = [make('a'), make('b'), make('c')];
  await hold(a, b, c);
  for (const one of [a, b]) {
    await deferrals.note(one, 'busy');
    await deferrals.note(one, 'queued');
    await deferrals.note(one, 'queued');
  }
  await deferrals.note(c, 'busy');
  await hold(a, c);
  reported();
  await deferrals.flush();
  expect(reported()).toEqual(['a reported: queued, 2 left out']);
  await deferrals.flush();
  expect(reported()).toEqual([]);
});

test('with nothing left out, the end writes nothing', async () => {
  const one = make('a');
  await hold(one);
  await deferrals.note(one, 'busy');
  const before = queue.journal.transaction;
  await deferrals.flush();
  expect(queue.journal.transaction).toBe(before);
});

test('a deferral with nothing to tell writes nothing', async () => {
  const one = make('a');
  await hold(one);
  await deferrals.note(one, 'busy');
  const before = queue.journal.transaction;
  await deferrals.note(one, 'busy');
  expect(queue.journal.transaction).toBe(before);
});

test('a deferral that could not be written is written with the next', async () => {
  const one = make('a');
  await hold(one);
  const stop = queue.refuse('INSERT ON events');
  await expect(deferrals.note(one, 'busy')).rejects.toThrow('refused');
  stop();
  await deferrals.note(one, 'busy');
  expect(reported()).toEqual(['a deferred: busy', 'a reported: busy, 0 left out']);
});
