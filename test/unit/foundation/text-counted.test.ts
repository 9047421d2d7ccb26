import { expect, test } from 'vitest';
import { counted, countedWith, listed } from '../../../src/foundation/text.js';

test.each([
  [0, '0 rows', '0 rows were'],
  [1, '1 row', '1 row was'],
  [2, '2 rows', '2 rows were'],
  ['200 or more', '200 or more rows', '200 or more rows were'],
  ['no', 'no rows', 'no rows were'],
])('%s is counted as people do', (count, alone, withVerb) => {
  expect([counted(count, 'row'), countedWith(count, 'row', ['was', 'were'])]).toEqual([alone, withVerb]);
});

test('a list names twenty, and counts the others', () => {
  const names = Array.from({ length: 21 }, (_, n) => `a${n}`);
  expect(listed(['alpha', 'beta'])).toBe('alpha, beta');
  expect(listed(names.slice(0, 20))).toBe(names.slice(0, 20).join(', '));
  expect(listed(names)).toBe(`${names.slice(0, 20).join(', ')} and 1 more`);
});
