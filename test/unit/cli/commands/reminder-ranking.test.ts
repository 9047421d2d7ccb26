import { expect, test } from 'vitest';
import { usualRanking } from '../../../../src/cli/commands/reminder-ranking.js';

const one = (reminder_id: string, ranking: number, mode: 'one_off' | 'repeat' = 'one_off') => ({
  reminder_id,
  ranking,
  mode,
});

test.each([
  ['the first', [], 'one_off', { ranking: 0, before: null }],
  ['one more', [one('a', 3), one('b', -4)], 'one_off', { ranking: 4, before: null }],
  ['the first that repeats', [one('a', 3)], 'repeat', { ranking: 4, before: null }],
  [
    'one beside one that repeats',
    [one('a', 5, 'repeat'), one('b', 9)],
    'one_off',
    { ranking: 4, before: 'a' },
  ],
  [
    'one beside two that repeat',
    [one('a', 5, 'repeat'), one('b', 2, 'repeat')],
    'one_off',
    { ranking: 1, before: 'b' },
  ],
] as const)('%s stands where it can fire', (_what, present, mode, expected) => {
  expect(usualRanking(present, mode)).toEqual(expected);
});

test('of two that repeat nobody knows which is meant to fire', () => {
  expect(() => usualRanking([one('a', 5, 'repeat')], 'repeat')).toThrow(
    /^a repeats already.*Say which: --ranking 4 has this one fire, --ranking 6 that one\.$/,
  );
});
