import { expect, test } from 'vitest';
import { reasonWords } from '../../../../src/cli/words/obstacle-words.js';

test.each([
  ['paused', 'The queue is paused; resume it: houmao-mgr agents gateway resume alpha'],
  [
    'reconciliation',
    'The agent was replaced; decide what becomes of the waiting requests: houmao-mgr agents gateway reconcile alpha --adopt',
  ],
  ['busy', 'As the gateway says.'],
] as const)('%s is worded as %s', (code, words) => {
  expect(reasonWords({ code, detail: 'As the gateway says.' }, 'alpha', '')).toBe(words);
});

test.each(['paused', 'reconciliation'] as const)('what ends %s goes to the server that was asked', (code) => {
  expect(reasonWords({ code, detail: '' }, 'alpha', ' --server http://s')).toMatch(
    /: houmao-mgr agents gateway \w+ alpha.* --server http:\/\/s$/,
  );
});
