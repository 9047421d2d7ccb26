import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countCodePoints,
  isBlank,
  isWellFormed,
  splitLines,
  strip,
  stripEnd,
  wordsOf,
} from '../../../../src/mail/message/mail-text.js';

test('lines end where Python ends them', () => {
  expect(splitLines('a\nb\r\nc\rd\ve\ff\x1cg\x1dh\x1ei\u0085j\u2028k\u2029l')).toEqual([...'abcdefghijkl']);
  expect(splitLines('a\n')).toEqual(['a']);
  expect(splitLines('a\n\n')).toEqual(['a', '']);
  expect(splitLines('')).toEqual([]);
  expect(splitLines('a\x1fb')).toEqual(['a\x1fb']);
});

test('blanks are those of Python', () => {
  expect(strip('\x1f\u0085 a \u2003\x1c')).toBe('a');
  expect(stripEnd(' a\u3000')).toBe(' a');
  expect(strip('\ufeffa\u200b')).toBe('\ufeffa\u200b');
  expect([isBlank('\x1c\u0085'), isBlank('\ufeff'), isBlank('')]).toEqual([true, false, true]);
  expect([...wordsOf('\u0085a\x1db\ufeffc ')]).toEqual(['a', 'b\ufeffc']);
});

test('a long run of blanks is no burden', () => {
  const blanks = ' '.repeat(1_000_000);
  expect(stripEnd(`${blanks}a${blanks}b`).length).toBe(2_000_002);
});

test('code points are counted, and halves of pairs found', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\udc00'))),
      (parts) => {
        const text = parts.join('');
        expect(countCodePoints(text)).toBe([...text].length);
        expect(isWellFormed(text)).toBe(Buffer.from(text).toString() === text);
      },
    ),
  );
});
