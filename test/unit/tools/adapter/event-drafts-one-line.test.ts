import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../../src/tools/adapter/event-drafts.js';

describe('one line', () => {
  it('collapses white space and cuts at 160 code points, 157 and three dots', () => {
    expect(oneLine('  a\n\t b  ')).toBe('a b');
    expect(oneLine('x'.repeat(160))).toBe('x'.repeat(160));
    expect(oneLine('x'.repeat(161))).toBe(`${'x'.repeat(157)}...`);
    expect(oneLine('😀'.repeat(161))).toBe(`${'😀'.repeat(157)}...`);
  });

  it('is short and on one line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const line = oneLine(text);
        expect(Array.from(line).length).toBeLessThanOrEqual(160);
        expect(line).not.toMatch(/[\n\r\t]| {2}/);
      }),
    );
  });
});
