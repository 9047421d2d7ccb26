import { expect, test } from 'vitest';
import { counted, countedWith } from '../../../src/foundation/counted.js';

test.each([
  [0, '0 rows', '0 rows were'],
  [1, '1 row', '1 row was'],
  [2, '2 rows', '2 rows were'],
  ['200 or more', '200 or more rows', '200 or more rows were'],
  ['no', 'no rows', 'no rows were'],
])('%s is counted as people do', (count, alone, withVerb) => {
  expect([counted(count, 'row'), countedWith(count, 'row', ['was', 'were'])]).toEqual([alone, withVerb]);
});
