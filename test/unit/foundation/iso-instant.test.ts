import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, isIsoInstant } from '../../../src/foundation/iso-instant.js';

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

  test('never throws, and takes only what can be read as a time', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isIsoInstant(text)) expect(Number.isNaN(Date.parse(text.replace(' ', 'T')))).toBe(false);
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
