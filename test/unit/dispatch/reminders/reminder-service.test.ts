import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReminderDefinition } from '../../../../src/dispatch/reminders/reminder.js';
import { ReminderService } from '../../../../src/dispatch/reminders/reminder-service.js';
import { started, withReminder } from '../../../../src/dispatch/reminders/reminder-set.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const start = Date.UTC(2026, 0, 1);
let clock: VirtualClock;
let queue: TestQueue;
let service: ReminderService;
let woken: number;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  woken = 0;
  const wakeLoop = (): void => {
    woken += 1;
  };
  service = new ReminderService({ ...queue, clock, wakeLoop });
});
afterEach(() => queue.close());

const definition = (title: string, given: Partial<ReminderDefinition> = {}): ReminderDefinition => ({
  title,
  ranking: 0,
  paused: false,
  intervalSeconds: null,
  due: { afterSeconds: 60 },
  delivery: { kind: 'prompt', prompt: 'p' },
  ...given,
});
async function add(...definitions: ReminderDefinition[]): Promise<string[]> {
  const added = await service.create(definitions);
  if ('refusal' in added) throw new Error(added.refusal);
  return added.shown.map(({ id }) => id);
}
/** As the loop does at the start of a delivery. */
const execute = (id: string) =>
  queue.journal.write(() => {
    const { reminder } = service.get(id) ?? {};
    if (reminder) queue.book.replace(withReminder(queue.book.set, started(reminder, start)));
  });
const events = () =>
  queue.store
    .prepare<[], { kind: string; subject_id: string; data_json: string }>(
      "SELECT * FROM events WHERE kind LIKE 'reminder%' ORDER BY seq",
    )
    .all()
    .map(({ kind, subject_id, data_json }) => ({ kind, id: subject_id, data: JSON.parse(data_json) }));
const titles = () => service.list().shown.map(({ title }) => title);

describe('making reminders', () => {
  test('adds all of them with an event each, wakes the loop, and shows them as they were given', async () => {
    const added = await service.create([definition('b', { ranking: 1 }), definition('a')]);
    expect(added).toMatchObject({
      shown: [{ title: 'b' }, { title: 'a', dueAt: start + 60_000 }],
      effective: { title: 'a' },
      now: start,
    });
    expect(events().map(({ kind, id }) => [kind, id])).toEqual(
      'shown' in added ? added.shown.map(({ id }) => ['reminder_registered', id]) : [],
    );
    expect(woken).toBe(1);
    expect(titles()).toEqual(['a', 'b']);
  });

  test('adds none where all would be too many, and says so', async () => {
    await add(definition('first'));
    const refused = await service.create(Array.from({ length: 250 }, () => definition('more')));
    expect(refused).toEqual({ refusal: expect.stringContaining('250 reminders') });
    expect([titles(), events().length]).toEqual([['first'], 1]);
  });

  test('shows them as they were added, whatever became of them meanwhile', async () => {
    const reported: unknown[] = [];
    const also = (added: unknown): void => void reported.push(added);
    const created = service.create([definition('stays'), definition('fires')], { kept: true, also });
    // In the same commit, as a loop that was quick.
    const fired = queue.journal.write(() =>
      queue.book.replace(
        queue.book.set.filter(({ title }) => title === 'stays').map((one) => ({ ...one, executing: true })),
      ),
    );
    const [added] = await Promise.all([created, fired]);
    expect(added).toMatchObject({
      shown: [
        { title: 'stays', executing: false },
        { title: 'fires', executing: false },
      ],
    });
    expect(reported).toEqual([added]);
  });
});

describe('looking at one', () => {
  test('tells of the effective one and of the time, too; of an unknown id nothing', async () => {
    const [first, second = ''] = await add(definition('first'), definition('second'));
    clock.pass(5);
    expect(service.get(second)).toMatchObject({
      reminder: { title: 'second' },
      effective: { id: queue.book.set.map(({ id }) => id).sort()[0] },
      now: start + 5,
    });
    expect(service.get(first ?? '')?.reminder.title).toBe('first');
    expect(service.get('unknown')).toBeNull();
  });
});

describe('changing one', () => {
  test('replaces its definition, tells of it and wakes the loop', async () => {
    const [id = ''] = await add(definition('old'));
    clock.pass(1000);
    const seen = await service.update(id, definition('new'));
    expect(seen).toMatchObject({
      reminder: { id, title: 'new', createdAt: start, dueAt: start + 61_000 },
      effective: { id },
      now: start + 1000,
    });
    expect(events().at(-1)).toMatchObject({ kind: 'reminder_updated', id, data: { title: 'new' } });
    expect([titles(), woken]).toEqual([['new'], 2]);
  });

  test('is refused where all together would be too long, and changes nothing', async () => {
    const [id = ''] = await add(definition('old'));
    const long = definition('new', { delivery: { kind: 'prompt', prompt: 'p'.repeat(5_000_000) } });
    expect(await service.update(id, long)).toEqual({
      refusal: expect.stringContaining('4194304 characters'),
    });
    expect([titles(), events().length]).toEqual([['old'], 1]);
  });

  test('that is unknown or being delivered is refused by name', async () => {
    const [id = ''] = await add(definition('old'));
    expect(await service.update('unknown', definition('new'))).toBe('unknown');
    await execute(id);
    expect(await service.update(id, definition('new'))).toBe('executing');
    expect(titles()).toEqual(['old']);
  });
});

describe('deleting one', () => {
  test('takes it out, tells of it and wakes the loop', async () => {
    const [id = ''] = await add(definition('one'), definition('other'));
    expect(await service.remove(id)).toBe('Deleted the reminder.');
    expect([titles(), woken]).toEqual([['other'], 2]);
    expect(events().at(-1)).toMatchObject({
      kind: 'reminder_deleted',
      data: { reminder_id: id, executing: false, detail: 'Deleted the reminder.' },
    });
  });

  test('that is being delivered only marks it', async () => {
    const [id = ''] = await add(definition('one'));
    await execute(id);
    const detail = 'The deletion is recorded; the delivery that runs will continue until completion.';
    expect(await service.remove(id)).toBe(detail);
    expect(service.get(id)?.reminder).toMatchObject({ executing: true, deleteRequested: true });
    expect(events().at(-1)).toMatchObject({ data: { executing: true, detail } });
  });

  test('that is unknown says so', async () => {
    expect(await service.remove('unknown')).toBeNull();
    expect(events()).toEqual([]);
  });
});

describe('when the gateway stops', () => {
  test('each reminder that is lost has an event, the effective one first', async () => {
    await add(definition('second', { ranking: 1 }), definition('first'));
    clock.pass(60_000);
    await service.lose();
    const lost = events().filter(({ kind }) => kind === 'reminder_lost_on_restart');
    expect(lost.map(({ data }) => [data.ranking, data.selection_state, data.delivery_state])).toEqual([
      [0, 'effective', 'overdue'],
      [1, 'blocked', 'overdue'],
    ]);
    expect(titles()).toEqual([]);
  });

  test('those that are kept stay, and can become the others and back', async () => {
    const also = (): void => undefined;
    await add(definition('lost'));
    const kept = await service.create(
      [definition('kept', { ranking: 1 }), definition('given up', { ranking: 2 })],
      { kept: true, also },
    );
    if ('refusal' in kept) throw new Error(kept.refusal);
    expect(service.list(true).shown.map(({ title }) => title)).toEqual(['kept', 'given up']);
    expect(service.list(false).shown.map(({ title }) => title)).toEqual(['lost']);
    await service.update(kept.shown[0]?.id ?? '', definition('still kept'));
    await service.update(kept.shown[1]?.id ?? '', definition('given up'), false);
    await service.lose();
    expect(titles()).toEqual(['still kept']);
    expect(
      events().flatMap(({ kind, id }) => (kind === 'reminder_lost_on_restart' ? [id] : [])),
    ).toHaveLength(2);
  });

  test('without reminders nothing is written', async () => {
    const before = queue.journal.transaction;
    await service.lose();
    expect(queue.journal.transaction).toBe(before);
  });
});

test('a change whose event cannot be written is undone', async () => {
  const [id = ''] = await add(definition('one'));
  const stop = queue.refuse('INSERT ON events');
  await expect(service.remove(id)).rejects.toThrow('refused');
  await expect(service.update(id, definition('new'))).rejects.toThrow('refused');
  await expect(service.lose()).rejects.toThrow('refused');
  stop();
  expect(titles()).toEqual(['one']);
});
