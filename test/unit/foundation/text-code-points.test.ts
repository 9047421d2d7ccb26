import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCodePoints } from '../../../src/foundation/text.js';

describe('the first characters', () => {
  it('are those that a slow count gives, and never half of one', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '🙂', 'é', '日') });
    fc.assert(
      fc.property(text, fc.nat({ max: 12 }), (whole, count) => {
        expect(firstCodePoints(whole, count)).toBe([...whole].slice(0, count).join(''));
      }),
    );
  });
});
