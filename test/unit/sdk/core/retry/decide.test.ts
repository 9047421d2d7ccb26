import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ending, nextTryAfter, type Situation } from '../../../../../sdk/dist/core/retry/decide.js';

const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.constant({ kind: 'unreached' } as const),
  fc.constant({ kind: 'lost' } as const),
  fc.record({
    kind: fc.constant('answered' as const),
    status: fc.constantFrom(200, 404, 429, 500, 502, 503, 504),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
    done: fc.boolean(),
  }),
);
const situation: fc.Arbitrary<Situation> = fc.record({
  policy: fc.constantFrom('safe', 'keyed', 'never'),
  hasKey: fc.boolean(),
  ending,
  tries: fc.integer({ min: 1, max: 50 }),
  maxRetries: fc.integer({ min: 0, max: 50 }),
  leftMs: fc.oneof(fc.integer({ min: -10, max: 100_000 }), fc.constant(Number.POSITIVE_INFINITY)),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

test('nothing is repeated against its policy, its number, its deadline or the word of the server', () => {
  fc.assert(
    fc.property(situation, (given) => {
      const afterMs = nextTryAfter(given);
      const { policy, hasKey, tries, maxRetries, leftMs, ending } = given;
      const answered = ending.kind === 'answered' ? ending : null;
      const allowed =
        (policy === 'safe' || (policy === 'keyed' && hasKey)) &&
        tries <= maxRetries &&
        (!answered ||
          ([429, 503].includes(answered.status) && answered.retryAfterMs !== null && !answered.done));
      const askedMs = Math.min(answered?.retryAfterMs ?? 0, 60_000);
      if (!allowed) expect(afterMs).toBeNull();
      else if (leftMs > askedMs + 2000) expect(afterMs).not.toBeNull();
      if (afterMs === null) return;
      expect(afterMs).toBeLessThan(leftMs);
      expect(afterMs).toBeGreaterThanOrEqual(askedMs + 100);
      expect(afterMs).toBeLessThanOrEqual(askedMs + 2000);
    }),
  );
});

test('pauses double, and chance takes up to a half away', () => {
  const base = { policy: 'safe', hasKey: false, ending: { kind: 'lost' }, maxRetries: 9 } as const;
  const pauses = (random: number) =>
    [1, 2, 3, 4, 5].map((tries) =>
      nextTryAfter({ ...base, tries, leftMs: Number.POSITIVE_INFINITY, random }),
    );
  expect(pauses(0)).toEqual([200, 400, 800, 1600, 2000]);
  expect(pauses(0.5)).toEqual([150, 300, 600, 1200, 1500]);
});
