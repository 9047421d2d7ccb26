import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { followLines, LineSplitter, maxRowBytes } from '../../../src/run/line-follower.js';

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
});

describe('following a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-unit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hands over what is there, what comes, and the last words without a newline', async () => {
    const path = join(folder, 'stdout.jsonl');
    writeFileSync(path, 'one\ntw');
    const { seen, sink } = collector();
    const finished = new AbortController();
    const firstSeen = new Promise<void>((resolve) => {
      const { line } = sink;
      sink.line = (text, wellFormed) => {
        resolve();
        return line(text, wellFormed);
      };
    });
    const following = followLines(path, sink, finished.signal);
    await firstSeen;
    appendFileSync(path, 'o\nthree');
    finished.abort();
    await following;
    expect(seen.map((one) => ('text' in one ? one.text : null))).toEqual(['one', 'two', 'three']);
  });

  it('a file that is not there is a fault', async () => {
    const { sink } = collector();
    await expect(followLines(join(folder, 'none'), sink, new AbortController().signal)).rejects.toThrow(
      /ENOENT/,
    );
  });
});
