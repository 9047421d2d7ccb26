import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Text } from '../../../../src/http/body/read-body.js';

/** @returns the text, or how many characters came before bytes that are none. */
function decode(bytes: Uint8Array, size: number): string | number {
  const text = new Utf8Text();
  for (let at = 0; at < bytes.length; at += size)
    if (!text.push(Buffer.from(bytes.subarray(at, at + size)))) return text.text.length;
  return text.end() ? text.text : text.text.length;
}

function expected(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

test('reads what is UTF-8, however it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), (text, size) => {
      const bytes = new TextEncoder().encode(text);
      expect(decode(bytes, size)).toBe(expected(bytes));
    }),
    { numRuns: 1000 },
  );
});

test('refuses whatever is not, and says how much was', () => {
  const pieces = fc
    .constantFrom('a', 'é', '€', '🙂', '\ufffd')
    .map((one) => [...new TextEncoder().encode(one)]);
  const noise = fc.array(fc.integer({ min: 0x80, max: 0xff }), { maxLength: 3 });
  const mixed = fc.array(fc.oneof(pieces, pieces, noise), { maxLength: 8 });
  fc.assert(
    fc.property(mixed, fc.integer({ min: 1, max: 5 }), (parts, size) => {
      const bytes = Uint8Array.from(parts.flat());
      const whole = expected(bytes);
      const seen = decode(bytes, size);
      if (whole !== null) expect(seen).toBe(whole);
      else {
        // The longest beginning that is UTF-8.
        let end = bytes.length;
        while (expected(bytes.subarray(0, end)) === null) end -= 1;
        expect(seen).toBe(expected(bytes.subarray(0, end))?.length);
      }
    }),
    { numRuns: 2000 },
  );
});

test('leaves the mark away that some editors put before a text', () => {
  expect(decode(Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 2)).toBe('{}');
});
