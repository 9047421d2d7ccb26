import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStalled, notUnderstoodSince } from '../../../../src/terminal/tracker/stability.js';

describe('a screen that is not understood', () => {
  it('stalls the terminal after the time since it was first not understood', () => {
    const first = notUnderstoodSince(null, 'not_understood', 100);
    const later = notUnderstoodSince(first, 'not_understood', 20_000);
    expect(isStalled(later, 30_099, 30)).toBe(false);
    expect(isStalled(later, 30_100, 30)).toBe(true);
  });

  it('is forgotten with one that is, and not by a look that failed', () => {
    expect(notUnderstoodSince(100, 'understood', 200)).toBeNull();
    expect(notUnderstoodSince(100, 'no_screen', 200)).toBe(100);
    expect(isStalled(null, 1e9, 30)).toBe(false);
  });

  it('counts from the first look of the latest row of such looks', () => {
    const reads = fc.array(fc.constantFrom('understood' as const, 'not_understood' as const));
    fc.assert(
      fc.property(reads, (all) => {
        const since = all.reduce<number | null>(
          (before, read, at) => notUnderstoodSince(before, read, at),
          null,
        );
        const first = all.lastIndexOf('understood') + 1;
        expect(since).toBe(first < all.length ? first : null);
      }),
    );
  });
});
