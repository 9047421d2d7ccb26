import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowSchemas } from '../../../src/dispatch/queue/queue-tables.js';
import { eventStoreSchemas } from '../../../src/events/event-store.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { TurnUsage } from '../../../src/run/running-turn.js';
import { SessionRecords } from '../../../src/server/sessions/session-records.js';
import { WatchedDatabase } from '../../../src/storage/watched-database.js';
import { lastDays, UsageDays, usagePeriod, usedAmounts } from '../../../src/turn/usage-days.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const always = { from: '0001-01-01', to: '9999-12-31' };
const usage = (amounts: Record<string, number>, scope: TurnUsage['scope'] = 'turn'): TurnUsage => ({
  model: 'm',
  scope,
  amounts,
});
const open = (path: string) =>
  new WatchedDatabase(
    { path, thing: 'queue', program: 'gateway' },
    [...eventStoreSchemas, ...rowSchemas],
    () => undefined,
  );
const path = () => join(temporaryFolder(), 'queue.sqlite');

const ended = { day: '2026-03-13', outcome: 'completed', providerSessionId: 'c1', session: null } as const;

describe('the amounts of one turn', () => {
  const sums = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 20 });

  test('add up to the last sum of a conversation that began here', () => {
    fc.assert(
      fc.property(sums, (steps) => {
        let [before, total]: [TurnUsage | null, number] = [null, 0];
        for (const [at, step] of steps.entries()) {
          const now = usage({ input_tokens: (before?.amounts.input_tokens ?? 0) + step }, 'conversation');
          total += usedAmounts(now, before, at === 0)?.input_tokens ?? Number.NaN;
          before = now;
        }
        expect(total).toBe(before?.amounts.input_tokens);
      }),
    );
  });

  test('are not known of a conversation that began elsewhere, or that is counted from the beginning again', () => {
    const sum = usage({ input_tokens: 5 }, 'conversation');
    expect(usedAmounts(sum, null, false)).toBeNull();
    expect(usedAmounts(sum, usage({ input_tokens: 6 }, 'conversation'), false)).toBeNull();
    expect(usedAmounts(null, sum, true)).toBeNull();
  });
});

describe('the days', () => {
  test('have what is known, and count what is not', () => {
    const database = open(path());
    const days = new UsageDays(database);
    days.add({ ...ended, usage: usage({ input_tokens: 3, output_tokens: 4, total_cost_usd: 0.5 }) });
    days.add({ ...ended, outcome: 'failed', usage: null });
    days.add({ ...ended, day: '2026-03-14', outcome: 'replaced', usage: usage({ tool_calls: 1 }) });
    expect(days.between(always)).toEqual([
      {
        date: '2026-03-13',
        turns: { completed: 1, failed: 1, interrupted: 0, replaced: 0 },
        turns_without_usage: 1,
        turns_without_cost: 1,
        input_tokens: 3,
        cache_read_tokens: null,
        cache_write_tokens: null,
        output_tokens: 4,
        cost_usd: 0.5,
      },
      expect.objectContaining({
        date: '2026-03-14',
        turns_without_usage: 1,
        input_tokens: null,
        output_tokens: null,
        cost_usd: null,
      }),
    ]);
    expect(days.between({ from: '2026-03-14', to: '2026-03-20' })).toHaveLength(1);
    database.close();
  });

  test('have the share of each turn where the tool reports the sum of its conversation', () => {
    const database = open(path());
    const days = new UsageDays(database);
    const said = (input_tokens: number) => usage({ input_tokens, cached_input_tokens: 1 }, 'conversation');
    days.add({ ...ended, usage: said(100), session: { mode: 'new' } });
    days.add({ ...ended, usage: said(130), session: { mode: 'exact', id: 'c1' } });
    days.add({ ...ended, usage: said(900), providerSessionId: 'c2', session: { mode: 'exact', id: 'c2' } });
    days.add({ ...ended, usage: said(905), providerSessionId: 'c2', session: { mode: 'exact', id: 'c2' } });
    expect(days.between(always)).toMatchObject([
      { input_tokens: 135, cache_read_tokens: 1, turns_without_usage: 1, turns: { completed: 4 } },
    ]);
    database.close();
  });
});

describe('records of a release without days', () => {
  /** Three turns that ended, and one that runs. */
  function older(): string {
    const file = path();
    open(file).close();
    const database = openDatabase(file);
    database.exec('DROP TABLE usage_days; DROP TABLE usage_conversations');
    const insert = database.prepare(
      `INSERT INTO turns (turn_id, origin, tool, state, started_at_utc, ended_at_utc, delivery_state, delivery_at_utc, outcome)
       VALUES (?, 'queue', 'claude', ?, '2026-03-12T23:59:59+00:00', ?, 'confirmed', '2026-03-12T23:59:59+00:00', ?)`,
    );
    const note = database.prepare('INSERT INTO turn_usage (turn_id, usage_json) VALUES (?, ?)');
    insert.run('t1', 'ended', '2026-03-12T23:59:59+00:00', 'completed');
    note.run(
      't1',
      JSON.stringify(usage({ input_tokens: 7, cache_read_input_tokens: 2, total_cost_usd: 0.25 })),
    );
    insert.run('t2', 'ended', '2026-03-13T00:00:00+00:00', 'failed');
    insert.run('t3', 'ended', '2026-03-13T00:00:01+00:00', 'completed');
    note.run('t3', JSON.stringify(usage({ input_tokens: 50 }, 'conversation')));
    insert.run('t4', 'running', null, null);
    database.close();
    return file;
  }
  const expected = [
    {
      date: '2026-03-12',
      turns: { completed: 1, failed: 0, interrupted: 0, replaced: 0 },
      turns_without_usage: 0,
      turns_without_cost: 0,
      input_tokens: 7,
      cache_read_tokens: 2,
      cache_write_tokens: null,
      output_tokens: null,
      cost_usd: 0.25,
    },
    expect.objectContaining({
      date: '2026-03-13',
      turns: { completed: 1, failed: 1, interrupted: 0, replaced: 0 },
      turns_without_usage: 2,
      input_tokens: null,
    }),
  ];

  test('get their days from their turns when they are opened, once', () => {
    const file = older();
    for (let time = 0; time < 2; time += 1) {
      const database = open(file);
      expect(new UsageDays(database).between(always)).toEqual(expected);
      database.close();
    }
  });

  test('are read as they are by a program that only reads', () => {
    const database = openDatabase(older(), { readonly: true });
    expect(new SessionRecords(database).usage(always)).toEqual(expected);
    database.close();
  });
});

describe('the period', () => {
  const now = new Date('2026-03-13T23:30:00Z');

  test('is the last seven days, where nothing is asked', () => {
    expect(usagePeriod({}, now)).toEqual({ from: '2026-03-07', to: '2026-03-13' });
    expect(usagePeriod({ to: '2026-03-02' }, now)).toEqual({ from: '2026-02-24', to: '2026-03-02' });
    expect(lastDays(1, now)).toEqual({ from: '2026-03-13', to: '2026-03-13' });
  });

  test('has at most 366 days, and begins before it ends', () => {
    expect(usagePeriod({ from: '2025-03-13', to: '2026-03-13' }, now)).toMatchObject({ from: '2025-03-13' });
    const broken = [{ from: '2025-03-12' }, { from: '2026-03-14' }];
    for (const asked of broken)
      expect(usagePeriod(asked, now)).toMatchObject({
        detail: [{ type: 'value_error', loc: ['query', 'from'], input: asked.from }],
      });
  });
});
