import { expect, test } from 'vitest';
import { clipped, run, toBytes } from '../../../../standin/src/tui/styled-line.js';

test('a row is cut at a width, whole characters only', () => {
  const line = [run('ab', '1'), run('漢字'), run('c', '2')];
  const texts = (width: number) => clipped(line, width).map(({ text }) => text);
  expect([9, 7, 6, 5, 3, 1].map(texts)).toEqual([
    ['ab', '漢字', 'c'],
    ['ab', '漢字', 'c'],
    ['ab', '漢字', ''],
    ['ab', '漢', ''],
    ['ab', '', ''],
    ['a', '', ''],
  ]);
});

test('a style ends where it is used', () => {
  expect(toBytes([run('a'), run('b', '1;38;5;246')])).toBe('a\u001b[1;38;5;246mb\u001b[0m');
});
