import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rankingOf, standingWords } from '../../../../src/cli/commands/reminder-ranking.js';

/** @param minute of the hour at which it is due. */
const one = (reminder_id: string, ranking: number, mode: 'one_off' | 'repeat' = 'one_off', minute = 0) => ({
  reminder_id,
  ranking,
  mode,
  next_due_at_utc: new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString(),
});
const due = (minute: number) => Date.UTC(2030, 0, 1, 0, minute);

test.each([
  ['the first', [], 'one_off', 0],
  ['one more', [one('a', 3), one('b', -4)], 'one_off', 4],
  ['the first that repeats', [one('a', 3)], 'repeat', 4],
  ['one beside one that repeats', [one('a', 5, 'repeat'), one('b', 9)], 'one_off', 4],
  ['one beside two that repeat', [one('a', 5, 'repeat'), one('b', 2, 'repeat')], 'one_off', 1],
  ['one that is due before the only one', [one('a', 1000, 'one_off', 30)], 'one_off', 999],
  ['one that is due between two', [one('a', 0, 'one_off', 1), one('b', 1, 'one_off', 30)], 'one_off', 0],
] as const)('%s stands where it can fire', (_what, present, mode, expected) => {
  expect(rankingOf(present, { mode, due: due(2) })).toEqual(expected);
});

test('of reminders that fire once, each is put before those that are due later', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(59), { minLength: 1, maxLength: 12 }), (minutes) => {
      const placed: ReturnType<typeof one>[] = [];
      for (const minute of minutes) {
        const ranking = rankingOf(placed, { mode: 'one_off', due: due(minute) });
        placed.push(one(`m${minute}`, ranking, 'one_off', minute));
        expect(standingWords(placed.slice(0, -1), placed.at(-1)!, String)).toEqual([]);
      }
    }),
  );
});

test('of two that repeat nobody knows which is meant to fire', () => {
  expect(() => rankingOf([one('a', 5, 'repeat')], { mode: 'repeat', due: due(2) })).toThrow(
    /^a already repeats.*Choose which one fires: --ranking 4 for the new one, --ranking 6 for a\.$/,
  );
});

test.each([
  ['alone', [], one('new', 0, 'repeat'), []],
  ['behind one that fires once and earlier', [one('a', 0)], one('new', 1), []],
  [
    'behind two that are due later',
    [one('a', 0, 'one_off', 50), one('b', 1, 'one_off', 30)],
    one('new', 1),
    [/^It waits behind a, which is due 2030-01-01T00:50.* --ranking -1 puts it in front /],
  ],
  ['before one that repeats', [one('a', 3, 'repeat')], one('new', 2), [/^It goes before a, /]],
  ['behind one that repeats', [one('a', 3, 'repeat')], one('new', 3), [/^It waits behind a, /]],
  [
    'repeating before one',
    [one('a', 3)],
    one('new', 2, 'repeat'),
    [/^It repeats, so the reminder behind it /],
  ],
  [
    'repeating before two',
    [one('a', 3), one('b', 4, 'repeat'), one('c', 1)],
    one('new', 2, 'repeat'),
    [/^It repeats, so the 2 reminders behind it /],
  ],
] as const)('a new reminder %s is described with who waits for whom', (_what, present, added, expected) => {
  const words = standingWords(present, added, String);
  expect(words).toEqual(expected.map((line) => expect.stringMatching(line)));
});
