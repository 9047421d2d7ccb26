import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endLeftDeliveries, restOfLeftTurn } from '../../../../src/dispatch/reminders/delivery-end.js';
import { newReminder } from '../../../../src/dispatch/reminders/reminder.js';
import { ReminderBook, ReminderTable } from '../../../../src/dispatch/reminders/reminder-book.js';
import { started } from '../../../../src/dispatch/reminders/reminder-set.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const start = Date.UTC(2026, 0, 1);
let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

/** Has a delivery stand as a gateway left it that died during it. */
async function leave(turnId: string | null, intervalSeconds: number | null = null): Promise<void> {
  const definition = {
    title: 't',
    delivery: { kind: 'prompt' as const, prompt: 'p' },
    ranking: 0,
    paused: false,
    due: { at: start },
    intervalSeconds,
  };
  const reminder = newReminder('r', definition, start, true);
  await queue.journal.write(() => queue.book.replace([started(reminder, start, turnId)]));
}
const leaveTurn = (state: 'running' | 'ended', outcome: string | null, detail: string | null = null) =>
  queue.journal.write((atUtc) => {
    queue.turnTable.insert({
      turn_id: 'turn-1',
      origin: 'reminder',
      request_id: null,
      tool: 'claude',
      started_at_utc: atUtc,
      model: null,
    });
    queue.store
      .prepare<unknown[]>('UPDATE turns SET state = ?, outcome = ?, error_detail = ?')
      .run(state, outcome, detail);
  });
const next = () => {
  const book = new ReminderBook({ keep: () => undefined }, new ReminderTable(queue.store));
  return { journal: queue.journal, book, clock };
};
const reported = () =>
  queue.store
    .prepare<[], { kind: string; data_json: string }>(
      "SELECT kind, data_json FROM events WHERE kind IN ('reminder_completed', 'reminder_failed')",
    )
    .all()
    .map(({ kind, data_json }) => ({ kind, ...JSON.parse(data_json) }));

describe('a delivery during which its gateway died', () => {
  test.each([
    ['failed, as its turn did', 'failed', 'The gateway restarted.', 'The gateway restarted.'],
    ['failed, as its turn was interrupted', 'interrupted', null, 'interrupted'],
    ['was made, as its turn says', 'completed', null, undefined],
  ])('%s, and is not repeated', async (_how, outcome, detail, error) => {
    await leave('turn-1');
    await leaveTurn('ended', outcome, detail);
    const parts = next();
    await endLeftDeliveries(parts, queue.turnTable);
    expect(parts.book.set).toEqual([]);
    expect(next().book.set).toEqual([]);
    const kind = error === undefined ? 'reminder_completed' : 'reminder_failed';
    expect(reported()).toMatchObject([{ kind, reminder_id: 'r', next_due_at_utc: null }]);
    expect(reported()[0].error_detail).toBe(error);
    await endLeftDeliveries(parts, queue.turnTable);
    expect(reported()).toHaveLength(1);
  });

  test.each([null, 'turn-of-which-nothing-is-known'])(
    'is unknown without a turn on record (%s)',
    async (turnId) => {
      await leave(turnId);
      const parts = next();
      await endLeftDeliveries(parts, queue.turnTable);
      expect(reported()).toMatchObject([
        { kind: 'reminder_failed', error_detail: expect.stringContaining('unknown') },
      ]);
      expect(parts.book.set).toEqual([]);
    },
  );

  test('of one that repeats is followed by the next one of its grid, and by one alone', async () => {
    await leave(null, 60);
    clock.pass(601_000);
    const parts = next();
    await endLeftDeliveries(parts, queue.turnTable);
    expect(parts.book.set).toMatchObject([{ executing: false, turnId: null, dueAt: start + 660_000 }]);
  });

  test('goes on with a turn that runs, and ends with what the next gateway sees of it', async () => {
    await leave('turn-1');
    await leaveTurn('running', null);
    const parts = next();
    await endLeftDeliveries(parts, queue.turnTable);
    expect(parts.book.set).toMatchObject([{ executing: true }]);
    expect(restOfLeftTurn(parts, 'another')).toBeNull();
    const rest = restOfLeftTurn(parts, 'turn-1');
    await queue.journal.write((atUtc) => {
      rest?.delivered(atUtc);
      rest?.ended(atUtc, { outcome: 'failed', error: { code: 'agent_failed', detail: 'too late to count' } });
    });
    expect(reported()).toMatchObject([{ kind: 'reminder_completed' }]);
    expect(next().book.set).toEqual([]);
  });
});
