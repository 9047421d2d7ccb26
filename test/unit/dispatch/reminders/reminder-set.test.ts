import { describe, expect, test } from 'vitest';
import { newReminder, type Reminder } from '../../../../src/dispatch/reminders/reminder.js';
import {
  afterDelivery,
  byPrecedence,
  deliveryStateOf,
  excessOf,
  findReminder,
  nextStep,
  started,
  withoutReminder,
  withReminder,
} from '../../../../src/dispatch/reminders/reminder-set.js';

const now = Date.UTC(2026, 0, 1);
const make = (id: string, given: Partial<Reminder> = {}): Reminder => ({
  ...newReminder(
    id,
    {
      title: '',
      delivery: { kind: 'prompt', prompt: 'p' },
      ranking: 0,
      paused: false,
      due: { at: now },
      intervalSeconds: null,
    },
    now,
  ),
  ...given,
});
const prompt = (length: number) => ({ kind: 'prompt', prompt: 'p'.repeat(length) }) as const;

describe('how much a set may hold', () => {
  const most = 4 * 1024 * 1024;
  const many = (count: number) => Array.from({ length: count }, (_, index) => make(`r${index}`));

  test('250 reminders and not one more', () => {
    expect(excessOf(many(250))).toBeNull();
    expect(excessOf(many(251))).toBe('There can be 250 reminders at most; delete some first.');
  });

  test.each([
    ['prompts', [prompt(most - 1), prompt(1)], ''],
    ['keys', [{ kind: 'send_keys', sequence: 'k'.repeat(most), ensureEnter: true }], ''],
    ['titles', [prompt(most - 5)], 'title'],
  ] as const)('4 MiB of %s, all together, and not one character more', (_what, deliveries, title) => {
    const set = deliveries.map((delivery, index) => make(`r${index}`, { delivery, title }));
    expect(excessOf(set)).toBeNull();
    expect(excessOf([...set, make('more')])).toBe(
      'All reminders together can have 4194304 characters at most; delete some first.',
    );
  });
});

describe('a set', () => {
  const [a, b, c] = [make('a'), make('b'), make('c')];
  const set = [a, b, c];

  test('finds a reminder by its id, and none by an id that it has not', () => {
    expect(findReminder(set, 'b')).toBe(b);
    expect(findReminder(set, 'd')).toBeNull();
  });
  test('exchanges or drops one, and keeps the others as they are, in their places', () => {
    const changed = { ...b, title: 'changed' };
    expect(withReminder(set, changed)).toEqual([a, changed, c]);
    expect(withoutReminder(set, 'b')).toEqual([a, c]);
    expect(set).toEqual([a, b, c]);
  });
});

describe('a delivery', () => {
  test('is noted at its start with the time', () => {
    const one = make('a');
    expect(started(one, now + 5)).toEqual({ ...one, executing: true, lastStartedAt: now + 5 });
  });
  test('of one that repeats makes it due at the next point of its grid', () => {
    const one = make('a', { mode: 'repeat', intervalSeconds: 60, executing: true });
    expect(afterDelivery(one, now + 61_000)).toEqual({ ...one, executing: false, dueAt: now + 120_000 });
  });
  test('of one that fires once is its last, and so is that of one that was deleted meanwhile', () => {
    expect(afterDelivery(make('a', { executing: true }), now)).toBeNull();
    expect(afterDelivery(make('a', { intervalSeconds: 60, deleteRequested: true }), now)).toBeNull();
  });
});

describe('which one may fire', () => {
  test.each([
    ['ranking', { ranking: -1, createdAt: now + 9 }],
    ['age', { createdAt: now - 1 }],
    ['id', {}],
  ])('is decided by %s', (_what, given) => {
    const [first, second] = [make(_what === 'id' ? 'a' : 'z', given), make('b')];
    expect(byPrecedence(first, second)).toBeLessThan(0);
    expect(byPrecedence(second, first)).toBeGreaterThan(0);
  });
  test('is the same in any order: one compares equal to itself', () => {
    expect(byPrecedence(make('a'), make('a'))).toBe(0);
  });
  test('it is delivered in the very moment it is due, and looked at again then, not before', () => {
    const one = make('a');
    expect(nextStep([one], now)).toEqual({ deliver: one });
    expect(nextStep([one], now - 1)).toEqual({ at: now });
  });
  test('a paused one is looked at when it is due, and then waits for a change', () => {
    const one = make('a', { paused: true });
    expect(nextStep([one], now - 1)).toEqual({ at: now });
    expect(nextStep([one], now)).toEqual({ at: null });
  });
  test('nothing is done without reminders, or while the one is delivered', () => {
    expect(nextStep([], now)).toEqual({ at: null });
    expect(nextStep([make('a', { executing: true })], now - 1)).toEqual({ at: null });
  });
});

test.each([
  ['scheduled', {}, now - 1],
  ['overdue', {}, now],
  ['executing', { executing: true }, now - 1],
])('a reminder is shown as %s', (state, given, at) => {
  expect(deliveryStateOf(make('a', given), at)).toBe(state);
});
