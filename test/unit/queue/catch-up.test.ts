import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRepair } from '../../../src/events/catch-up.js';

/** Lines as ours are: JSON of their own, some equal at the front. */
const expectedLines = fc
  .array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 8 })
  .map((texts) => texts.map((text, index) => JSON.stringify({ kind: 'event', index, text })));
const foreignText = fc.constantFrom('Error: crash', '    at main.js:1', '', '{"kind"', '{}');

/** Every line of `text` that is, or ends with, an expected one: text may stand before a line of ours. */
const found = (text: string, expected: readonly string[]): string[] =>
  text.split('\n').flatMap((line) => expected.filter((wanted) => line.endsWith(wanted)));

const mend = (tail: string, expected: readonly string[]): string => {
  const { prefix, present } = findRepair(tail, expected);
  return (
    tail +
    prefix +
    expected
      .slice(present)
      .map((line) => `${line}\n`)
      .join('')
  );
};

describe('repair of a projection', () => {
  it('a file cut anywhere has every line exactly once and in order, whatever stands between', () => {
    fc.assert(
      fc.property(
        expectedLines,
        fc.array(fc.array(foreignText, { maxLength: 2 }), { minLength: 8, maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (expected, foreign, part) => {
          const whole = expected
            .map((line, index) => [...foreign[index]!, line].map((text) => `${text}\n`).join(''))
            .join('');
          const tail = whole.slice(0, Math.round(whole.length * part));
          const mended = mend(tail, expected);
          expect(mended.startsWith(tail)).toBe(true);
          expect(found(mended, expected)).toEqual(expected);
          expect(mended.endsWith('\n') || mended === '').toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('at every single cut of one file', () => {
    const expected = ['{"a": 1}', '{"a": 1, "b": 2}', '{"a": 1}', 'x'];
    const whole = `${expected.join('\n')}\n`;
    for (let cut = 0; cut <= whole.length; cut += 1) expect(mend(whole.slice(0, cut), expected)).toBe(whole);
  });

  it('foreign text without a newline before our line does not hide it', () => {
    fc.assert(
      fc.property(expectedLines, fc.nat(), fc.boolean(), (expected, at, cut) => {
        const index = at % expected.length;
        const lines = expected.map((line, each) => (each === index ? `crash: ${line}` : line));
        const all = lines.slice(0, index + 1).join('\n');
        const mended = mend(cut ? all : `${all}\n`, expected);
        expect(found(mended, expected)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['an empty file', '', { prefix: '', present: 0 }],
    ['a cut line', 'on', { prefix: 'e\n', present: 1 }],
    ['a missing newline', 'one', { prefix: '\n', present: 1 }],
    ['foreign words at the end', 'one\nboom', { prefix: '\n', present: 1 }],
    ['everything there', 'one\ntwo\n', { prefix: '', present: 2 }],
    ['more than expected', 'one\ntwo\nthree\n', { prefix: '', present: 2 }],
  ])('%s', (_name, tail, repair) => {
    expect(findRepair(tail, ['one', 'two'])).toEqual(repair);
  });
});
