import { expect, test } from 'vitest';
import { blockLength, type PendingRow } from '../../../../src/gateway/requests/queue-head.js';

const row = (prompt: string | null, epoch = 1): PendingRow => ({
  requestId: 'r',
  kind: prompt === null ? 'interrupt' : 'submit_prompt',
  prompt,
  epoch,
});

test.each<[string, PendingRow[], number]>([
  ['nothing', [], 0],
  ['control intents alone', [row(null), row('/new'), row(' /clear ')], 3],
  ['a prompt after them', [row('/new'), row('hello'), row('/new')], 1],
  ['a prompt before them', [row('hello'), row('/new')], 0],
  ['an intent of another epoch', [row('/new'), row('/new', 2), row('/new')], 1],
  ['another epoch from the beginning', [row('/new', 2)], 0],
  ['a prompt that cannot be read', [{ ...row('/new'), prompt: null }], 0],
])('the block at the head of a queue: %s', (_what, rows, length) => {
  expect(blockLength(rows, 1)).toBe(length);
});
