import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReminderDefinition } from '../../../../src/dispatch/reminders/reminder.js';
import { deferred } from '../../../../src/foundation/concurrency.js';
import { StoreUnavailable, storageFault } from '../../../../src/storage/storage-fault.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

/** A clock that counts how often somebody goes to sleep, and for how long. */
class CountingClock extends VirtualClock {
  readonly sleeps: number[] = [];
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return super.sleep(ms, signal);
  }
}

let clock: CountingClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new CountingClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  queue.reminderLoop.start();
});
afterEach(() => queue.close());

const due = (given: Partial<ReminderDefinition> = {}): ReminderDefinition => ({
  title: 't',
  ranking: 0,
  paused: false,
  intervalSeconds: null,
  delivery: { kind: 'prompt', prompt: 'p' },
  due: { at: 0 },
  ...given,
});
async function add(definition: ReminderDefinition): Promise<string> {
  const added = await queue.reminders.create([definition]);
  if ('refusal' in added) throw new Error(added.refusal);
  await queue.atRest();
  return added.shown[0]?.id ?? '';
}
async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await queue.atRest();
}
const prompts = () => queue.target.started.map(({ prompt }) => prompt);
const events = () =>
  queue.store
    .prepare<[], { kind: string; data_json: string }>(
      "SELECT * FROM events WHERE kind LIKE 'reminder%' ORDER BY seq",
    )
    .all()
    .map(({ kind, data_json }) => ({ kind, data: JSON.parse(data_json) }));
const kinds = () => events().map(({ kind }) => kind.replace('reminder_', ''));

describe('a delivery', () => {
  test('has an event at its beginning and one at its end, and its turn says where it came from', async () => {
    const id = await add(due());
    expect(queue.slot.holder?.origin).toBe('reminder');
    expect(queue.reminders.get(id)?.reminder).toMatchObject({
      executing: true,
      lastStartedAt: clock.now().getTime(),
    });
    await pass(2000);
    queue.target.end();
    await queue.atRest();
    expect(kinds()).toEqual(['registered', 'started', 'completed']);
    expect(events().at(-1)?.data).toEqual({
      reminder_id: id,
      finished_at_utc: '2026-01-01T00:00:02+00:00',
      next_due_at_utc: null,
    });
    expect(queue.reminders.get(id)).toBeNull();
  });

  test.each([
    ['why', { outcome: 'failed', error: { code: 'peer_refused', detail: 'not today' } }, 'not today'],
    ['at least how', { outcome: 'interrupted', error: null }, 'interrupted'],
  ] as const)(
    'that fails says %s, and one that repeats is due again',
    async (_what, reportedOutcome, error) => {
      queue.target.signs = { ...queue.target.signs, completion: null, reportedOutcome };
      const id = await add(due({ due: { afterSeconds: 1 }, intervalSeconds: 60 }));
      await pass(1000);
      queue.target.end();
      await queue.atRest();
      expect(events().at(-1)).toMatchObject({
        kind: 'reminder_failed',
        data: { error_detail: error, next_due_at_utc: '2026-01-01T00:01:01+00:00' },
      });
      expect(queue.reminders.get(id)?.reminder.executing).toBe(false);
    },
  );

  test.each([
    [
      'keys, which this agent does not take,',
      { delivery: { kind: 'send_keys', sequence: 'k', ensureEnter: true } } as const,
      / runs headless: /,
    ],
    ['what the agent refuses', {}, /^no such conversation$/],
  ])('of %s begins no turn, and has failed', async (_what, definition, error) => {
    queue.target.refusal = { code: 'missing_current_chat_session', detail: 'no such conversation' };
    await add(due(definition));
    expect(kinds()).toEqual(['registered', 'started', 'failed']);
    expect(events().at(-1)?.data.error_detail).toMatch(error);
    expect([prompts(), queue.reminders.list().shown, queue.faults]).toEqual([[], [], []]);
  });

  test('that meets a fault of ours has failed with it, and the fault is reported', async () => {
    queue.target.resolveFault = new Error('broken');
    const id = await add(due());
    expect(queue.faults).toEqual([`reminder ${id} hit an internal error: broken`]);
    expect(events().at(-1)?.data.error_detail).toMatch(/internal error: broken$/);
  });

  test('that fails at once keeps the next one waiting for nothing', async () => {
    const pressed = { kind: 'send_keys', sequence: 'k', ensureEnter: true } as const;
    await queue.reminders.create([due({ ranking: -1, delivery: pressed }), due()]);
    await queue.atRest();
    expect(prompts()).toEqual(['p']);
  });

  test('asks for no conversation and no model of its own, and leaves the fresh one to direct prompts', async () => {
    const asked: unknown[] = [];
    const resolve = queue.target.resolve.bind(queue.target);
    Object.assign(queue.target, {
      resolve: (...given: unknown[]) => {
        asked.push(given);
        return resolve();
      },
    });
    queue.override.set();
    await add(due());
    expect(asked).toEqual([
      [
        { chatSession: null, execution: null },
        { override: null, forced: false },
      ],
    ]);
  });

  test('whose set was given up meanwhile ends without a word', async () => {
    await add(due());
    await queue.reminders.lose();
    queue.target.end();
    await queue.atRest();
    expect([kinds().at(-1), queue.faults]).toEqual(['lost_on_restart', []]);
  });
});

describe('one that must wait', () => {
  test('says what for, and is looked at again in 0.2 s', async () => {
    const waiting = await queue.prompt('first');
    await add(due());
    expect(events().at(-2)).toMatchObject({
      kind: 'reminder_deferred',
      data: {
        detail:
          "request_admission='open', terminal_surface_eligibility='ready', active_execution='idle', queue_depth=1",
      },
    });
    await queue.control.cancel(waiting);
    await pass(199);
    expect(prompts()).toEqual([]);
    await pass(1);
    expect(prompts()).toEqual(['p']);
  });

  test('reports at the end how often, unless it was delivered after all', async () => {
    const waiting = await queue.prompt('first');
    await add(due({ intervalSeconds: 3600 }));
    await pass(200);
    await queue.control.cancel(waiting);
    await pass(200);
    queue.target.end();
    await queue.atRest();
    await queue.reminderLoop.stop();
    expect(kinds().at(-1)).toBe('completed');
  });

  test('reports at the end how often', async () => {
    await queue.prompt('first');
    await add(due());
    await pass(200);
    await queue.reminderLoop.stop();
    expect(events().at(-1)).toMatchObject({ kind: 'reminder_deferral_told', data: { suppressed: 1 } });
  });

  test('and whose last line cannot be written is no reason not to stop', async () => {
    await queue.prompt('first');
    await add(due());
    await pass(200);
    const stop = queue.refuse('INSERT ON events');
    await queue.reminderLoop.stop();
    stop();
    expect(queue.faults).toEqual(['refused']);
  });

  test('for a slot that was reserved meanwhile tries again', async () => {
    const begin = queue.turns.begin.bind(queue.turns);
    queue.turns.begin = async () => null;
    await add(due());
    queue.turns.begin = begin;
    await pass(199);
    expect(prompts()).toEqual([]);
    await pass(1);
    expect(prompts()).toEqual(['p']);
  });
});

describe('the agent', () => {
  let looks: number;
  beforeEach(() => {
    looks = 0;
    queue.target.probe = async () => {
      looks += 1;
    };
  });

  test.each(['this machine', 'another server'])(
    'of %s is looked at again just before: a delivery is not repeated',
    async (place) => {
      queue.target.remote = place === 'another server';
      queue.target.inspection = { ...queue.target.inspection, surface: 'not_ready' };
      await add(due());
      expect([looks, prompts()]).toEqual([1, []]);
      expect(kinds()).toContain('deferred');
      await pass(200);
      expect(looks).toBe(1);
    },
  );

  test('that is being looked at when the loop stops gets nothing any more', async () => {
    const [asked, answer] = [deferred<void>(), deferred<void>()];
    queue.target.probe = () => {
      asked.resolve();
      return answer.promise;
    };
    clock.pass(2000);
    await queue.reminders.create([due()]);
    await asked.promise;
    const stopped = queue.reminderLoop.stop();
    answer.resolve();
    await stopped;
    expect([prompts(), kinds()]).toEqual([[], ['registered']]);
  });
});

describe('the loop', () => {
  test('sleeps until the next is due, at most ten seconds at a time, and for ever where none is', async () => {
    clock.sleeps.length = 0;
    await add(due({ due: { afterSeconds: 15 } }));
    await pass(10_000);
    await pass(5000);
    queue.target.end();
    await queue.atRest();
    // The watch of the disk sleeps for a second at a time.
    const [first, second, ...rest] = clock.sleeps.filter((pause) => pause !== 1000);
    expect([first, second]).toEqual([10_000, 5000]);
    expect(rest.every((pause) => pause > 10_000)).toBe(true);
  });

  test('waits out a fault of the whole database, which fails no reminder and is reported elsewhere', async () => {
    const { transact } = queue.store;
    const full = storageFault('disk_full', { path: '/q.sqlite', thing: 'queue', program: 'test' });
    await add(due({ due: { afterSeconds: 1 } }));
    queue.store.transact = () => {
      queue.storage.met(full);
      throw new StoreUnavailable(full);
    };
    await pass(1000);
    queue.store.transact = transact;
    for (let seconds = 0; seconds < 3; seconds += 1) await pass(1000);
    expect([prompts(), kinds()]).toEqual([['p'], ['registered', 'started']]);
    expect(queue.faults.filter((fault) => /^(?:the )?reminder/.test(fault))).toEqual([]);
  });

  test('tells of any other fault, and goes on a second later', async () => {
    queue.target.probe = async () => {
      throw new Error('no look');
    };
    clock.pass(2000);
    await add(due());
    expect(queue.faults).toEqual(['the reminder loop hit an internal error and goes on: no look']);
    queue.target.probe = async () => undefined;
    await pass(999);
    expect(prompts()).toEqual([]);
    await pass(1);
    expect(prompts()).toEqual(['p']);
  });
});
