import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isProcessText, ownFormats, patternsBesideFormats } from '../../../../src/http/contract/formats.js';
import { bundle, type Part } from '../../../contract/support/bundle.js';

describe('process-text', () => {
  test('is any well-formed text without NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isProcessText(text)).toBe(!text.includes('\0'));
      }),
    );
  });

  test('is no text with half a character, wherever it stands', () => {
    const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
    // Plain text around it: a neighbour must not complete it.
    const plain = fc.string({ unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(plain, half, plain, (before, unit, after) => {
        expect(isProcessText(before + unit + after)).toBe(false);
      }),
    );
  });

  test('agrees with what UTF-8 can carry there and back', () => {
    const units = fc.array(fc.integer({ min: 1, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(units, (text) => {
        expect(isProcessText(text)).toBe(Buffer.from(text, 'utf8').toString('utf8') === text);
      }),
    );
  });
});

describe('the pattern beside a format', () => {
  const schemas = (node: Part): Part[] =>
    node === null || typeof node !== 'object'
      ? []
      : [...(typeof node.format === 'string' ? [node] : []), ...Object.values(node).flatMap(schemas)];
  const own = schemas(bundle).filter(({ format }) => format in ownFormats);

  test('stands beside every format of our own, and is one that the format speaks for', () => {
    expect(own.length).toBeGreaterThan(20);
    for (const { format, pattern } of own) {
      expect([format, Object.keys(patternsBesideFormats[format] ?? {})]).toEqual([
        format,
        expect.arrayContaining([pattern]),
      ]);
    }
  });

  const cases = Object.entries(patternsBesideFormats).flatMap(([format, patterns]) =>
    Object.entries(patterns).map(([pattern, rest]) => [format, pattern, rest] as const),
  );
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(' ', '\n', '\0', '\ufeff', 'a', '😀') }),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})?$/),
  );

  test.each(cases)('of %s, %s, takes what the format and the rest of it take', (format, pattern, rest) => {
    const { validate } = ownFormats[format as keyof typeof ownFormats];
    fc.assert(
      fc.property(texts, (text) => {
        if (!validate(text)) return;
        for (const flags of ['', 'u'])
          expect([text, new RegExp(pattern, flags).test(text)]).toEqual([
            text,
            rest === null || new RegExp(rest).test(text),
          ]);
      }),
    );
  });

  test.each([
    ['a\0b', 'process-text'],
    ['\0', 'process-text'],
    ['2026-1-1', 'iso-instant'],
    ['tomorrow', 'iso-instant'],
    ['2026-01-01T12:00:00 UTC', 'iso-instant'],
  ])('refuses %j, which is no %s', (text, format) => {
    for (const pattern of Object.keys(patternsBesideFormats[format] ?? {}))
      expect(new RegExp(pattern).test(text)).toBe(false);
  });

  test('is in words that every dialect has', () => {
    for (const [, pattern] of cases) expect(pattern).not.toMatch(/\\u|\\d|\\p|\(\?/);
  });
});
