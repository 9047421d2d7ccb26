import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../../src/dispatch/queue/request-records.js';
import { bundle } from '../../../contract/support/bundle.js';

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
const cursors = new RegExp(bundle.components.schemas.RequestCursor.pattern);
/** More rows than a database can be filled with. */
const rows = fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 999_999_999_999_999 }));

test('every cursor of ours is one of the contract', () => {
  fc.assert(
    fc.property(rows, (rowid) => {
      expect(encodeCursor(rowid)).toMatch(cursors);
    }),
  );
});
test('every cursor of the contract is one of ours', () => {
  fc.assert(
    fc.property(fc.stringMatching(cursors), (cursor) => {
      expect(encodeCursor(decodeCursor(cursor))).toBe(cursor);
    }),
  );
});
test.each(['', '0', 'MTI=', 'LTE', 'MDE', 'MS41', 'OTk5OTk5OTk5OTk5OTk5OTk5', 'MQ\n', 'a+b'])(
  'the contract has no cursor %j',
  (text) => {
    expect(text).not.toMatch(cursors);
  },
);
