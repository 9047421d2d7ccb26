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

test('lines in the form of an earlier version count as present, wherever the file was cut', () => {
  const fresh = ['{"at": 1, "kind": "a", "seq": 1}', '{"at": 2, "kind": "b", "seq": 2}'];
  const former = ['{"kind": "a"}', '{"kind": "b"}'];
  const whole = former.map((line) => `${line}\n`).join('');
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const tail = whole.slice(0, cut);
    const { prefix, present } = findRepair(tail, fresh, former);
    const file = [...`${tail}${prefix}`.split('\n').slice(0, -1), ...fresh.slice(present)];
    // What may be the beginning of a line of either form goes on as one of today's.
    const begun = tail.split('\n');
    expect(file).toEqual(fresh.map((line, at) => (line.startsWith(begun[at] ?? '') ? line : former[at])));
  }
});

test('of kinds that earlier versions left out no line is missed before one that they wrote, wherever the file was cut', () => {
  const fresh = [
    '{"kind": "a", "seq": 1}',
    '{"kind": "new", "seq": 2}',
    '{"kind": "b", "seq": 3}',
    '{"kind": "new", "seq": 4}',
  ];
  // With numbers, and without: there were two earlier forms.
  for (const former of [
    ['{"kind": "a"}', null, '{"kind": "b"}', null],
    [fresh[0]!, null, fresh[2]!, null],
  ]) {
    const whole = former
      .filter((line) => line !== null)
      .map((line) => `${line}\n`)
      .join('');
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const { prefix, present } = findRepair(whole.slice(0, cut), fresh, former);
      const file = [...`${whole.slice(0, cut)}${prefix}`.split('\n').slice(0, -1), ...fresh.slice(present)];
      const kinds = file.map((line) => JSON.parse(line).kind);
      // Those between lines of the earlier version stay away, those behind them come.
      expect([kinds, kinds.join().replace(/(a,)new,/, '$1')]).toEqual([expect.any(Array), 'a,b,new']);
    }
  }
});
