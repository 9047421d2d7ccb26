import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureText, nothingCaptured } from '../../../../src/terminal/tracker/observation.js';

describe('the measures of a captured text', () => {
  it('count characters, not their halves', () => {
    expect(measureText('a😀b')).toEqual({
      hash: createHash('sha1').update('a😀b').digest('hex'),
      length: 3,
      excerpt: 'a😀b',
    });
    expect(measureText('').length).toBe(nothingCaptured.length);
  });

  it('keep the last 4000 characters whole', () => {
    expect(measureText(`${'x'.repeat(10)}${'y'.repeat(4000)}`).excerpt).toBe('y'.repeat(4000));
    expect(measureText(`x${'😀'.repeat(4001)}`).excerpt).toBe('😀'.repeat(4000));
    const texts = fc.array(fc.constantFrom('a', '😀', '\u001b[2m', '\n'), { maxLength: 9000 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const characters = Array.from(text);
        const { length, excerpt } = measureText(text);
        expect(length).toBe(characters.length);
        expect(excerpt).toBe(characters.slice(-4000).join(''));
      }),
    );
  });
});
