import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonStart } from '../../../src/foundation/json-text.js';

test('is the whole of a short value, and as much of a long one as was asked for', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), (value, count) => {
      const text = JSON.stringify(value);
      const start = jsonStart(value, count);
      if (text.length <= count) expect(start).toBe(text);
      else {
        expect(start.length).toBeGreaterThan(count);
        expect(start.slice(0, count)).toBe(text.slice(0, count));
      }
    }),
    { numRuns: 1000 },
  );
});

test('never looks at what is far behind or far below', () => {
  const deep = Array.from({ length: 100_000 }).reduce<unknown[]>((inner) => [inner], []);
  expect(jsonStart(deep, 10).slice(0, 10)).toBe('[[[[[[[[[[');
  const touched: number[] = [];
  const list = Array.from({ length: 1000 }, (_, index) => ({
    get x() {
      touched.push(index);
      return 1;
    },
  }));
  jsonStart(list, 50);
  expect(touched.length).toBeLessThan(10);
});
