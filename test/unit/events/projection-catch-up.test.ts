import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRepair } from '../../../src/events/projection.js';

const expected = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abc{}:" ') }), {
    maxLength: 8,
  })
  .map((lines) => lines.map((line, index) => `2026 event ${index} ${line}`));
const foreign = fc.constantFrom('FATAL ERROR: heap', '', '    at main', '2025 somebody else', '2026 event');

/** The file after the repair: the prefix, then what {@link findRepair} says is missing. */
function repaired(tail: string, lines: readonly string[]): string[] {
  const { prefix, present } = findRepair(tail, lines);
  return `${tail}${prefix}${lines
    .slice(present)
    .map((line) => `${line}\n`)
    .join('')}`
    .split('\n')
    .slice(0, -1);
}
const ours = (file: readonly string[], lines: readonly string[]): string[] =>
  file.filter((line) => lines.includes(line));

test('whereever the file was cut, after the repair every line is there once, in order', () => {
  fc.assert(
    fc.property(expected, (lines) => {
      const whole = lines.map((line) => `${line}\n`).join('');
      for (let cut = 0; cut <= whole.length; cut += 1) {
        const file = repaired(whole.slice(0, cut), lines);
        // Nothing but them: a line cut in two was completed.
        expect(file).toEqual(lines);
      }
    }),
    { numRuns: 200 },
  );
});

test('foreign lines between them, and a cut anywhere, change nothing about that', () => {
  const mixed = expected.chain((lines) =>
    fc.tuple(
      fc.constant(lines),
      fc.array(fc.array(foreign, { maxLength: 2 }), {
        minLength: lines.length + 1,
        maxLength: lines.length + 1,
      }),
    ),
  );
  fc.assert(
    fc.property(mixed, ([lines, between]) => {
      const whole = between
        .map((strangers, index) =>
          [...strangers, ...lines.slice(index, index + 1)].map((line) => `${line}\n`).join(''),
        )
        .join('');
      for (let cut = 0; cut <= whole.length; cut += 1) {
        const file = repaired(whole.slice(0, cut), lines);
        expect(ours(file, lines)).toEqual(lines);
      }
    }),
    { numRuns: 200 },
  );
});

test('a foreign line without its newline before ours does not double it', () => {
  expect(findRepair('panic: one\ntwo\n', ['one', 'two'])).toEqual({ prefix: '', present: 2 });
  expect(findRepair('panic: one', ['one', 'two'])).toEqual({ prefix: '\n', present: 1 });
});

test('nothing expected: only foreign half lines are ended', () => {
  expect(findRepair('', [])).toEqual({ prefix: '', present: 0 });
  expect(findRepair('half', [])).toEqual({ prefix: '\n', present: 0 });
});
