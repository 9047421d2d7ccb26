import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../../src/gateway/requests/cursor.js';

test('a row comes back as it went', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (rowid) => {
      expect(decodeCursor(encodeCursor(rowid))).toBe(rowid);
    }),
  );
});
test('no cursor is the newest row; the end of a list has none', () => {
  expect(decodeCursor(null)).toBe(Number.MAX_SAFE_INTEGER);
  expect(encodeCursor(null)).toBeNull();
});
test('what is no cursor of ours is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const rowid = decodeCursor(text);
      if (rowid !== null) expect(encodeCursor(rowid)).toBe(text);
    }),
  );
  for (const text of ['', '0', 'MTI=', 'LTE', 'MS41', 'OTk5OTk5OTk5OTk5OTk5OTk5'])
    expect(decodeCursor(text)).toBeNull();
});
