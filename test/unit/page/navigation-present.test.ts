import fc from 'fast-check';
import { expect, test } from 'vitest';
import { presentOf } from '../../../src/page/navigation.js';

const view = { height: 900, line: 300, atEnd: false, linked: null };
const three = [-200, 100, 700].map((top, place) => ({ id: `operation-${place}`, top }));

test('a reader is at the last operation whose head is at the line or above it', () => {
  expect(presentOf(three, view)).toBe('operation-1');
  expect(presentOf([{ id: 'below', top: 800 }], view)).toBeNull();
  expect(presentOf([], view)).toBeNull();
});

test('at the end of the page it is the one that a link led to, where that is in sight', () => {
  expect(presentOf(three, { ...view, atEnd: true, linked: 'operation-2' })).toBe('operation-2');
  expect(presentOf(three, { ...view, atEnd: true, linked: 'operation-0' })).toBe('operation-1');
  expect(presentOf(three, { ...view, linked: 'operation-2' })).toBe('operation-1');
});

test('scrolling on never leads back', () => {
  const tops = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1 });
  fc.assert(
    fc.property(tops, fc.nat(5000), fc.nat(500), (places, scrolled, more) => {
      const sorted = [...places].sort((one, other) => one - other);
      const presentAt = (by: number): number => {
        const operations = sorted.map((top, place) => ({ id: String(place), top: top - by }));
        return Number(presentOf(operations, view) ?? -1);
      };
      expect(presentAt(scrolled + more)).toBeGreaterThanOrEqual(presentAt(scrolled));
    }),
  );
});
