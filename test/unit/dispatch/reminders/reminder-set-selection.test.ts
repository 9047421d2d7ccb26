import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newReminder, type Reminder, redefined } from '../../../../src/dispatch/reminders/reminder.js';
import {
  afterDelivery,
  byPrecedence,
  deleted,
  effectiveOf,
  inOrder,
  nextStep,
  started,
  withReminder,
} from '../../../../src/dispatch/reminders/reminder-set.js';
import { reminderList, toDefinition } from '../../../../src/gateway/handlers/reminders.js';

const start = Date.UTC(2026, 0, 1);
const day = 86_400_000;

const reminder: fc.Arbitrary<Reminder> = fc
  .record({
    id: fc.stringMatching(/^[0-9a-f]{4}$/),
    ranking: fc.integer({ min: -2, max: 2 }),
    paused: fc.boolean(),
    createdAt: fc.integer({ min: start, max: start + 3 }),
    dueIn: fc.integer({ min: -day, max: day }),
    executing: fc.boolean(),
    every: fc.option(fc.integer({ min: 1, max: 100_000 })),
  })
  .map(({ dueIn, every, ...given }) => ({
    ...given,
    mode: every === null ? ('one_off' as const) : ('repeat' as const),
    title: 't',
    delivery: { kind: 'prompt' as const, prompt: 'p' },
    anchor: start + dueIn,
    dueAt: start + dueIn,
    intervalSeconds: every,
    lastStartedAt: null,
    turnId: null,
    kept: false,
    deleteRequested: false,
  }));
const reminders = fc.uniqueArray(reminder, { selector: (one) => one.id, maxLength: 8 });

describe('of all live reminders', () => {
  test('the one with the smallest ranking, then the oldest, is effective, whatever state it is in', () => {
    fc.assert(
      fc.property(reminders, (set) => {
        const [first] = inOrder(set);
        expect(effectiveOf(set)).toBe(first ?? null);
        for (const one of set) if (one !== first && first) expect(byPrecedence(first, one)).toBeLessThan(0);
      }),
    );
  });

  test('all others are blocked by it', () => {
    fc.assert(
      fc.property(reminders, (set) => {
        const { effective_reminder_id, reminders: views } = reminderList({
          shown: inOrder(set),
          effective: effectiveOf(set),
          now: start,
        });
        expect(effective_reminder_id).toBe(views[0]?.reminder_id ?? null);
        views.forEach((view, index) => {
          expect(view.selection_state).toBe(index === 0 ? 'effective' : 'blocked');
          expect(view.blocked_by_reminder_id).toBe(index === 0 ? null : effective_reminder_id);
        });
      }),
    );
  });

  test('only the effective one is delivered, and only when it is due, not paused and not under way', () => {
    fc.assert(
      fc.property(reminders, fc.integer({ min: start - day, max: start + day }), (set, now) => {
        const step = nextStep(set, now);
        const effective = effectiveOf(set);
        const ready =
          effective !== null && !effective.paused && !effective.executing && effective.dueAt <= now;
        if (ready) expect(step).toEqual({ deliver: effective });
        else expect('at' in step && (step.at === null || step.at > now)).toBe(true);
      }),
    );
  });
});

/** The work of the loop, without a loop: a year in which clocks jump, machines sleep and deliveries take their time. */
test('in a year of jumping clocks nothing is early, nothing comes in bursts, and every one_off comes once', () => {
  const event = fc.oneof(
    { weight: 8, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 3 * day }) }) },
    { weight: 1, arbitrary: fc.record({ jump: fc.integer({ min: -30 * day, max: 30 * day }) }) },
  );
  fc.assert(
    fc.property(
      reminders,
      fc.array(event, { minLength: 50, maxLength: 250 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 2 * day })),
      (given, events, durations) => {
        let set: readonly Reminder[] = given.map((one) => ({ ...one, executing: false, paused: false }));
        let now = start;
        const deliveries = new Map<string, number>();
        for (const step of events) {
          now += 'pass' in step ? step.pass : step.jump;
          for (let burst = 0; ; burst += 1) {
            const next = nextStep(set, now);
            if (!('deliver' in next)) break;
            // One effective reminder at a time: a set of eight cannot have more than eight in a row.
            expect(burst).toBeLessThanOrEqual(given.length + 1);
            const { deliver } = next;
            expect(deliver.dueAt).toBeLessThanOrEqual(now);
            deliveries.set(deliver.id, (deliveries.get(deliver.id) ?? 0) + 1);
            const running = started(deliver, now);
            set = withReminder(set, running);
            expect(nextStep(set, now)).toEqual({ at: null });
            if (burst === 0) now += durations.next().value as number;
            const after = afterDelivery(running, now);
            if (after) expect(after.dueAt).toBeGreaterThan(now);
            set = set.flatMap((one) => (one.id !== running.id ? [one] : after ? [after] : []));
          }
        }
        for (const { id, mode } of given)
          if (mode === 'one_off') expect(deliveries.get(id) ?? 0).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 60 },
  );
});

test('a deleted one goes at once, and one that is being delivered when that ends', () => {
  const one = newReminder(
    'a',
    toDefinition({
      mode: 'repeat',
      title: 't',
      prompt: 'p',
      ranking: 0,
      paused: false,
      interval_seconds: 60,
      start_after_seconds: 1,
    }),
    start,
  );
  expect(deleted([one], one)).toEqual([]);
  const [running] = deleted([started(one, start)], started(one, start));
  expect(running).toMatchObject({ executing: true, deleteRequested: true });
  expect(running && afterDelivery(running, start)).toBeNull();
});

test('a new definition keeps id, age and last start, and counts its time again', () => {
  const one = {
    ...newReminder(
      'a',
      toDefinition({
        mode: 'one_off',
        title: 't',
        prompt: 'p',
        ranking: 0,
        start_after_seconds: 1,
        paused: true,
      }),
      start,
    ),
    lastStartedAt: 5,
  };
  const after = redefined(
    one,
    toDefinition({
      mode: 'repeat',
      title: 'u',
      prompt: 'q',
      ranking: 1,
      deliver_at_utc: '2026-02-01',
      paused: false,
      interval_seconds: 0.5,
    }),
    start + 999,
  );
  expect(after).toEqual({
    ...one,
    mode: 'repeat',
    title: 'u',
    delivery: { kind: 'prompt', prompt: 'q' },
    ranking: 1,
    paused: false,
    anchor: Date.UTC(2026, 1, 1),
    dueAt: Date.UTC(2026, 1, 1),
    intervalSeconds: 0.5,
  });
});
