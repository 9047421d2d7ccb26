import { expect, test } from 'vitest';
import { standingWords, usualRanking } from '../../../../src/cli/commands/reminder-ranking.js';

const one = (reminder_id: string, ranking: number, mode: 'one_off' | 'repeat' = 'one_off') => ({
  reminder_id,
  ranking,
  mode,
});

test.each([
  ['the first', [], 'one_off', 0],
  ['one more', [one('a', 3), one('b', -4)], 'one_off', 4],
  ['the first that repeats', [one('a', 3)], 'repeat', 4],
  ['one beside one that repeats', [one('a', 5, 'repeat'), one('b', 9)], 'one_off', 4],
  ['one beside two that repeat', [one('a', 5, 'repeat'), one('b', 2, 'repeat')], 'one_off', 1],
] as const)('%s stands where it can fire', (_what, present, mode, expected) => {
  expect(usualRanking(present, mode)).toEqual(expected);
});

test('of two that repeat nobody knows which is meant to fire', () => {
  expect(() => usualRanking([one('a', 5, 'repeat')], 'repeat')).toThrow(
    /^a already repeats.*Choose which one fires: --ranking 4 for the new one, --ranking 6 for a\.$/,
  );
});

test.each([
  ['alone', [], { ranking: 0, mode: 'repeat' }, []],
  ['behind one that fires once', [one('a', 0)], { ranking: 1, mode: 'one_off' }, []],
  [
    'before one that repeats',
    [one('a', 3, 'repeat')],
    { ranking: 2, mode: 'one_off' },
    [/^It goes before a, /],
  ],
  [
    'behind one that repeats',
    [one('a', 3, 'repeat')],
    { ranking: 3, mode: 'one_off' },
    [/^It waits behind a, /],
  ],
  [
    'repeating before one',
    [one('a', 3)],
    { ranking: 2, mode: 'repeat' },
    [/^It repeats, so the reminder behind it /],
  ],
  [
    'repeating before two',
    [one('a', 3), one('b', 4, 'repeat'), one('c', 1)],
    { ranking: 2, mode: 'repeat' },
    [/^It repeats, so the 2 reminders behind it /],
  ],
] as const)('a new reminder %s is told with who waits for whom', (_what, present, added, expected) => {
  expect(standingWords(present, added)).toEqual(expected.map((line) => expect.stringMatching(line)));
});
