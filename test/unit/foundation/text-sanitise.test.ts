import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitiseLine, sanitiseText } from '../../../src/foundation/text.js';

const isControl = (text: string): boolean =>
  [...text].some((one) => {
    const code = one.charCodeAt(0);
    return (code < 32 && one !== '\t' && one !== '\n') || (code > 126 && code < 160);
  });

describe('text from elsewhere', () => {
  const wild = fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0, max: 0xa5 }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('\r\n', '🙂'),
    ),
  });

  it('holds no control character, and nothing else changes', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const safe = sanitiseText(text);
        expect(isControl(safe)).toBe(false);
        expect(sanitiseText(safe)).toBe(safe);
        if (!isControl(text)) expect(safe).toBe(text);
      }),
    );
  });

  it('on one line is one line, without loose ends', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const line = sanitiseLine(text);
        expect(line).not.toMatch(/[\n\t]| {2}|^ | $/);
        expect(isControl(line)).toBe(false);
      }),
    );
  });

  it('shows where something was removed', () => {
    expect(sanitiseText('\u001b[31mred\u0007\r\nnext\ttab')).toBe('\ufffd[31mred\ufffd\nnext\ttab');
    expect(sanitiseLine('  a\r\n\tb\u0000 ')).toBe('a b\ufffd');
  });
});
