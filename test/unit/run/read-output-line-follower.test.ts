import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { followLines } from '../../../src/run/read-output.js';

type Seen = { text: string; wellFormed: boolean } | { oversized: number };

function collector() {
  const seen: Seen[] = [];
  const sink = {
    line: (text: string, wellFormed: boolean) => seen.push({ text, wellFormed }),
    oversized: (bytes: number) => seen.push({ oversized: bytes }),
  };
  return { seen, sink };
}

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
