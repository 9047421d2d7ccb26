import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, isIsoInstant, isoInstantPattern } from '../../../src/foundation/clock.js';

describe('iso-instant', () => {
  test('is every date that Node writes', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const text = date.toISOString();
          for (const form of [
            text,
            text.replace('Z', '+00:00'),
            text.slice(0, 19),
            text.slice(0, 16),
            text.slice(0, 10),
            text.replace('T', ' '),
          ]) {
            expect([form, isIsoInstant(form)]).toEqual([form, true]);
          }
        },
      ),
    );
  });

  test.each([
    '2026-02-29',
    '1900-02-29',
    '2026-01-01T24:00:01Z',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T12:60:00Z',
    '2026-01-01T12:00:61Z',
    '2026-01-01T12:00:00+25:00',
    '2026-01-01T',
    '2026-1-1',
    '26-01-01',
    '+002026-01-01',
    '99999-01-01',
    'tomorrow',
    '1767225600',
    '2026-01-01T12:00:00 UTC',
    ' 2026-01-01',
    '2026-01-01\n',
    '',
  ])('is not %j', (text) => {
    expect(isIsoInstant(text)).toBe(false);
  });

  test('is a moment that exists, whatever its pattern lets through', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(isoInstantPattern)), (text) => {
        expect(isIsoInstant(text)).toBe(true);
        expect(Number.isNaN(instantOf(text))).toBe(false);
        expect(new Date(instantOf(`${text.slice(0, 10)}T00:00Z`)).toISOString()).toContain(text.slice(0, 10));
      }),
    );
  });

  test('is of any year each day that the calendar has, and no other', () => {
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(19), fc.nat(39), (year, month, day) => {
        const text = [
          String(year).padStart(4, '0'),
          ...[month, day].map((two) => String(two).padStart(2, '0')),
        ];
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect([text, isIsoInstant(text.join('-'))]).toEqual([text, exists]);
      }),
    );
  });
});

test.each([
  ['2026-03-31', Date.UTC(2026, 2, 31)],
  ['2026-03-31T00:05', Date.UTC(2026, 2, 31, 0, 5)],
  ['2026-03-31 00:05:00.250', Date.UTC(2026, 2, 31, 0, 5, 0, 250)],
  ['2026-03-31t00:05:00z', Date.UTC(2026, 2, 31, 0, 5)],
  ['2026-03-31T00:05:00+0200', Date.UTC(2026, 2, 30, 22, 5)],
  ['2026-03-31T00:05:00-05:30', Date.UTC(2026, 2, 31, 5, 35)],
])('%s is that moment, in UTC where it says nothing else', (text, moment) => {
  expect(instantOf(text)).toBe(moment);
});
