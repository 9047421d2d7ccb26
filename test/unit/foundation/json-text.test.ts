import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonFile, toJsonLine, toSortedJson } from '../../../src/foundation/json-text.js';

/** Names are never mere numbers in our files. */
const name = fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => !/^\d+$/.test(text));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    fc.string({ unit: 'binary' }),
    fc.array(tie('tree')),
    fc.dictionary(name, tie('tree'), { noNullPrototype: true }),
  ),
}));

/** The names of every object, in the order of the text. */
const namesOf = (text: string): string[][] => {
  const all: string[][] = [];
  JSON.parse(text, (_name, value: unknown) => {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) all.push(Object.keys(value));
    return value;
  });
  return all;
};

describe.each([
  ['file', toJsonFile],
  ['line', toJsonLine],
])('a JSON %s', (kind, toText) => {
  it('reads back as it was, in ASCII, with sorted names', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = toText(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(text).toMatch(/^[\n\x20-\x7e]*$/);
        for (const names of namesOf(text)) expect(names).toEqual([...names].sort());
        expect(text.split('\n').length > 1).toBe(kind === 'file');
      }),
      { numRuns: 500 },
    );
  });
});

describe('the exact form', () => {
  const value = { b: [1, { d: 'é🙂', c: null }], a: {}, e: [] };

  it('of a file', () => {
    expect(toJsonFile({ b: 'ü', a: [1] })).toBe('{\n  "a": [\n    1\n  ],\n  "b": "\\u00fc"\n}\n');
  });
  it('of a line', () => {
    expect(toJsonLine(value)).toBe('{"a": {}, "b": [1, {"c": null, "d": "\\u00e9\\ud83d\\ude42"}], "e": []}');
  });
  it('of a compact text, equal for equal values', () => {
    expect(toSortedJson({ b: 1, a: { d: 2, c: 3 } })).toBe('{"a":{"c":3,"d":2},"b":1}');
    expect(toSortedJson({ a: { c: 3, d: 2 }, b: 1 })).toBe(toSortedJson({ b: 1, a: { d: 2, c: 3 } }));
  });
  it('leaves out what is undefined, and keeps the places of a list', () => {
    expect(toJsonLine({ a: undefined, b: [undefined, 1] })).toBe('{"b": [null, 1]}');
  });
  it('keeps a name that JavaScript treats in its own way', () => {
    expect(toJsonLine(JSON.parse('{"z":1,"__proto__":{"b":1,"a":2}}'))).toBe(
      '{"__proto__": {"a": 2, "b": 1}, "z": 1}',
    );
  });
});
