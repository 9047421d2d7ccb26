import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonTrouble } from '../../../../src/http/body/json-body.js';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the place where a text stops being JSON', () => {
  test('is its end when something was cut off', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(), (text, cut) => {
        const part = text.slice(0, cut % (text.length + 1));
        if (!isJson(part)) expect(jsonTrouble(part).offset).toBeLessThanOrEqual(part.length);
        // A number or a keyword that was cut is only known to be wrong where it began.
        if (!isJson(part) && !/[-\w.+]$/.test(part) && !part.endsWith('\\')) {
          const inString = /"(?:[^"\\]|\\.)*$/.test(part.replace(/"(?:[^"\\]|\\.)*"/g, ''));
          if (!inString)
            expect(jsonTrouble(part)).toEqual({ offset: part.length, reason: 'Unexpected end of the text' });
        }
      }),
    );
  });

  test('is where a foreign character stands', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(jsonTrouble(`${text}@`).offset).toBe(text.length);
        expect(jsonTrouble(`[${text},@]`).offset).toBe(text.length + 2);
        expect(jsonTrouble(`{"a":${text},"b":@}`).offset).toBe(text.length + 10);
      }),
    );
  });

  test('is where Node says, where it says so', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '1',
      'true',
      'null',
      ' ',
      '"',
      '\\',
      'x',
      '\n',
      '-',
    );
    const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        try {
          JSON.parse(text);
        } catch (error) {
          const said = /at position (\d+)/.exec((error as Error).message)?.[1];
          // Of a minus or an escape that leads nowhere Node names the end, and we the beginning.
          if (said !== undefined && !/[-\\]/.test(text))
            expect([text, jsonTrouble(text).offset]).toEqual([text, Number(said)]);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('of any text at all is found, without a stack', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { offset } = jsonTrouble(text);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(text.length);
      }),
    );
    expect(jsonTrouble('['.repeat(2_000_000)).offset).toBe(2_000_000);
    expect(jsonTrouble(`"${'a\\n'.repeat(500_000)}`).offset).toBe(1_500_001);
  });
});
