import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, maxRowBytes } from '../../../src/foundation/line-splitter.js';

type Seen = { text: string; wellFormed: boolean } | { oversized: number };

function collector() {
  const seen: Seen[] = [];
  const sink = {
    line: (text: string, wellFormed: boolean) => seen.push({ text, wellFormed }),
    oversized: (bytes: number) => seen.push({ oversized: bytes }),
  };
  return { seen, sink };
}

/** One buffer is used for every chunk, as the follower does. */
function split(bytes: Buffer, cuts: readonly number[]): Seen[] {
  const { seen, sink } = collector();
  const splitter = new LineSplitter(sink);
  const chunk = Buffer.alloc(Math.max(bytes.length, 1));
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index += 1) {
    const size = bytes.copy(chunk, 0, places[index - 1], places[index]);
    splitter.take(chunk.subarray(0, size));
    chunk.fill('#');
  }
  splitter.end();
  return seen;
}

describe('cutting bytes into lines', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\n\n', 'ü', '🙂', '\r', '{"x": 1}'), { maxLength: 40 });

  it('gives the same lines however the bytes arrive', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
        const whole = parts.join('');
        const lines = whole.split('\n').filter((line) => line !== '');
        expect(split(Buffer.from(whole), cuts)).toEqual(
          lines.map((line) => ({ text: line, wellFormed: true })),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('says which lines were no UTF-8, and only those', () => {
    const piece = fc.constantFrom(
      ...['good', 'ü'].map((one) => Buffer.from(one)),
      Buffer.from([0xff]),
      Buffer.from([0xc3]),
    );
    const lines = fc.array(
      fc.array(piece, { minLength: 1, maxLength: 3 }).map((all) => Buffer.concat(all)),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat(), { maxLength: 6 }), (all, cuts) => {
        const bytes = Buffer.concat(all.flatMap((line) => [line, Buffer.from('\n')]));
        const decoder = new TextDecoder('utf-8', { fatal: true });
        const isGood = (line: Buffer): boolean => {
          try {
            decoder.decode(line);
            return true;
          } catch {
            return false;
          }
        };
        expect(split(bytes, cuts)).toEqual(
          all.map((line) => ({ text: line.toString('utf8'), wellFormed: isGood(line) })),
        );
      }),
    );
  });

  it('reports a row over the limit by its length and goes on behind it', () => {
    const row = Buffer.alloc(maxRowBytes + 1, 'x');
    const bytes = Buffer.concat([Buffer.from('a\n'), row, Buffer.from('\nb')]);
    const expected = [
      { text: 'a', wellFormed: true },
      { oversized: maxRowBytes + 1 },
      { text: 'b', wellFormed: true },
    ];
    expect(split(bytes, [])).toEqual(expected);
    expect(split(bytes, [1000, maxRowBytes, maxRowBytes + 3, maxRowBytes + 4])).toEqual(expected);
  });

  it('a row of exactly the limit is a line', () => {
    const [row, ...rest] = split(Buffer.alloc(maxRowBytes, 'x'), [maxRowBytes / 2]);
    expect(row).toMatchObject({ wellFormed: true });
    expect('text' in row! && row.text.length).toBe(maxRowBytes);
    expect(rest).toEqual([]);
  });

  it('says where each line begins', () => {
    fc.assert(
      fc.property(text, fc.nat(1000), fc.array(fc.nat(), { maxLength: 8 }), (parts, first, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const offsets: [string, number][] = [];
        const splitter = new LineSplitter(
          { line: (line, _, offset) => offsets.push([line, offset]), oversized: () => undefined },
          first,
        );
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
          bytes.length,
        ];
        places.slice(1).forEach((place, index) => {
          splitter.take(bytes.subarray(places[index], place));
        });
        expect(splitter.lineStart).toBe(first + bytes.lastIndexOf(10) + 1);
        splitter.end();
        for (const [line, offset] of offsets)
          expect(
            bytes
              .subarray(offset - first)
              .toString()
              .split('\n')[0],
          ).toBe(line);
        expect(offsets.length).toBe(
          bytes
            .toString()
            .split('\n')
            .filter((line) => line !== '').length,
        );
      }),
    );
  });
});
