import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accepts, isWithinLimits, operations } from '../../hostile/support/contract.js';
import { changed, garbage, toText, written } from '../../hostile/support/hostile-json.js';
import { hostileBodies } from '../../hostile/support/hostile-request.js';

/** What must be among so many is there with this seed; with any other it would be a matter of chance. */
const seed = 20260313;
const withBody = operations.filter((one) => one.body !== null);

describe.each(withBody.map((one) => [one.operationId, one.body] as const))('bodies of %s', (_id, schema) => {
  test('that are made as valid are valid, and no two alike', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(hostileBodies(schema), (value) => {
        expect(accepts(schema, value)).toBe(true);
        seen.add(JSON.stringify(value));
      }),
      { numRuns: 100, seed },
    );
    expect(seen.size).toBeGreaterThan(1);
  });

  test('that are changed are JSON, now valid and now not', () => {
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(changed(hostileBodies(schema)), (text) => {
        verdicts.add(accepts(schema, JSON.parse(text)));
      }),
      { numRuns: 200, seed },
    );
    expect(verdicts.has(false)).toBe(true);
  });
});

test('what is written is what it was made of', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toText(written(value))).toBe(JSON.stringify(value));
    }),
  );
});

test('garbage is seldom JSON, and changes go beyond all limits', () => {
  const texts = fc
    .sample(garbage(fc.jsonValue()), { numRuns: 200, seed })
    .map((bytes) => bytes.toString('utf8'));
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  expect(texts.filter(isJson).length).toBeLessThan(150);
  const many = fc.sample(changed(fc.constant({ list: [1], inner: {} })), { numRuns: 400, seed });
  expect(many.some((text) => !isWithinLimits(Buffer.from(text)))).toBe(true);
  for (const trick of ['1e400', '\\ud800', '\\u0000', '__proto__', '\\u001b'])
    expect(many.some((text) => text.includes(trick))).toBe(true);
});
