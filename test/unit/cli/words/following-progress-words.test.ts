import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { elapsedWords, standing } from '../../../../src/cli/words/following.js';

test.each([
  [0, '0:00'],
  [7_999, '0:07'],
  [754_000, '12:34'],
  [3_723_000, '1:02:03'],
])('%d ms have passed as %s', (ms, words) => {
  expect(elapsedWords(ms)).toBe(words);
});

const turn = (delivery: string) => ({ state: 'running', delivery: { state: delivery } });
test.each<[object, string]>([
  [{ state: 'accepted', queue_position: 2, turn: null }, 'waiting, place 3 in the queue'],
  [{ state: 'accepted', queue_position: null, turn: null }, 'waiting'],
  [{ state: 'running', queue_position: null, turn: null }, 'starting'],
  [{ state: 'running', queue_position: null, turn: turn('handed_over') }, 'running, prompt handed over'],
  [{ state: 'running', queue_position: null, turn: turn('confirmed') }, 'running'],
  [{ state: 'completed', queue_position: null, turn: turn('confirmed') }, 'running'],
  [{ state: 'cancelled', queue_position: null, turn: null }, 'cancelled'],
])('%j is worded as %s', (record, words) => {
  expect(standing(record as Schemas['RequestRecord'])).toBe(words);
});
