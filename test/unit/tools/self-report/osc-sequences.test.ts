import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OscSequence, OscSequences } from '../../../../src/tools/self-report/osc-sequences.js';

const all = (parts: readonly (string | Uint8Array)[]): OscSequence[] => {
  const sequences = new OscSequences();
  return parts.flatMap((part) => sequences.take(Buffer.from(part)));
};

describe('OSC sequences in the output of a program', () => {
  const other = fc.constantFrom('text', '\u001b[31m', '🙂', '\u0007', '\u001b7', ']', '\\', '\n');
  const osc = fc.record({
    code: fc.constantFrom(0, 2, 8, 7501),
    text: fc.string({ unit: fc.constantFrom('a', ';', '=', ':', '✦', ' ', ']', '\\') }),
    end: fc.constantFrom('\u0007', '\u001b\\'),
  });

  it('are found however the output is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(other, osc)), fc.array(fc.nat()), (parts, cuts) => {
        const output = parts.map(
          ([text, { code, text: inside, end }]) => `${text}\u001b]${code};${inside}${end}`,
        );
        const bytes = Buffer.from(output.join(''));
        const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
        const pieces = [...places, bytes.length].map((place, index) =>
          bytes.subarray(places[index - 1] ?? 0, place),
        );
        expect(all(pieces)).toEqual(parts.map(([, { code, text }]) => ({ code, text })));
      }),
    );
  });

  it('one that is cut short does not hide the next', () => {
    expect(all(['\u001b]0;never ended\u001b[2J plain \u001b]2;title\u0007'])).toEqual([
      { code: 2, text: 'title' },
    ]);
    expect(all(['\u001b]0;a\u001b]2;b\u0007'])).toEqual([{ code: 2, text: 'b' }]);
    expect(all(['\u001b\u001b]2;b\u0007'])).toEqual([{ code: 2, text: 'b' }]);
  });

  it('one without a number, and one without an end, are nothing', () => {
    expect(all(['\u001b]x;y\u0007\u001b]\u0007'])).toEqual([]);
    expect(all(['\u001b]112\u0007'])).toEqual([{ code: 112, text: '' }]);
    expect(all([`\u001b]0;${'x'.repeat(1e5)}\u0007`, '\u001b]0;y\u0007'])).toEqual([{ code: 0, text: 'y' }]);
  });

  it('any bytes are read', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array()), (parts) => Array.isArray(all(parts))));
  });
});
