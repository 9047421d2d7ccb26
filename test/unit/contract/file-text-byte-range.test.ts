import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteRange } from '../../../src/contract/file-text.js';

const size = fc.nat({ max: 10_000 });
const place = fc.nat({ max: 12_000 });

test('what is answered is a part of the file, and the one that was asked for', () => {
  fc.assert(
    fc.property(size, place, place, (bytes, first, last) => {
      const range = byteRange(`bytes=${first}-${last}`, bytes);
      if (last < first) expect(range).toEqual({ kind: 'all' });
      else if (first >= bytes) expect(range).toEqual({ kind: 'beyond' });
      else expect(range).toEqual({ kind: 'part', start: first, end: Math.min(last, bytes - 1) });
    }),
  );
});

test('the rest of a file, and its end', () => {
  fc.assert(
    fc.property(size, place, (bytes, count) => {
      const rest = byteRange(`bytes=${count}-`, bytes);
      expect(rest).toEqual(
        count < bytes ? { kind: 'part', start: count, end: bytes - 1 } : { kind: 'beyond' },
      );
      const end = byteRange(`bytes=-${count}`, bytes);
      const length = Math.min(count, bytes);
      expect(end).toEqual(
        length === 0 ? { kind: 'beyond' } : { kind: 'part', start: bytes - length, end: bytes - 1 },
      );
    }),
  );
});

test.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=1-2,4-5',
  'bytes=a-b',
  'lines=1-2',
  'bytes=-1-2',
  '1-2',
])('what is not one range of bytes is not there: %s', (header) => {
  expect(byteRange(header, 100)).toEqual({ kind: 'all' });
});

test('a number that nothing can hold is beyond the file', () => {
  expect(byteRange(`bytes=${'9'.repeat(400)}-`, 100)).toEqual({ kind: 'beyond' });
  expect(byteRange(`bytes=0-${'9'.repeat(400)}`, 100)).toEqual({ kind: 'part', start: 0, end: 99 });
});

test('whatever comes, a part lies within the file', () => {
  fc.assert(
    fc.property(fc.string(), size, (header, bytes) => {
      const range = byteRange(`bytes=${header}`, bytes);
      if (range.kind !== 'part') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(bytes);
    }),
  );
});
