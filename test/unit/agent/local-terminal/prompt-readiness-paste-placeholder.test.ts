import { expect, test } from 'vitest';
import { isPlaceholderOf } from '../../../../src/agent/local-terminal/prompt-readiness.js';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `line ${line}`).join('\n');

test.each([
  ['[Pasted text #1 +60 lines]', lines(61), true],
  ['[Pasted Text: 61 lines]', lines(61), true],
  ['[Pasted text #4]', 'x'.repeat(5000), true],
  ['[Pasted Content 1731 chars]', 'x'.repeat(1731), true],
  [' [Pasted text #1 +60 lines]\n', lines(61), true],
  ['[Pasted text #1]', lines(61), false],
  ['[Pasted text #1 +60 lines]', 'x'.repeat(5000), false],
  ['[Pasted text #1 +60 lines]', lines(4), false],
  ['[Pasted Content 1731 chars]', 'x'.repeat(50_000), false],
  ['[Pasted text #1 +60 lines] more', lines(61), false],
  ['line 0', lines(1), false],
])('%#: %s', (draft, pasted, isIt) => {
  expect(isPlaceholderOf(draft, pasted)).toBe(isIt);
});
