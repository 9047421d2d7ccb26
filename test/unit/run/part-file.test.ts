import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PartWriter, readParts } from '../../../src/run/part-file.js';
import type { PartDraft } from '../../../src/run/turn-parts.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const folder = temporaryFolder();
let files = 0;
const newPath = () => {
  files += 1;
  return join(folder, `turn-${files}`, 'parts.jsonl');
};
const text = (said: string): PartDraft => ({ kind: 'text', data: { text: said, position: 'begins' } });

function writerOf(path: string) {
  const faults: string[] = [];
  return {
    writer: new PartWriter(path, new VirtualClock('2026-03-13T00:00:00Z'), (fault) => faults.push(fault)),
    faults,
  };
}
const textsIn = (path: string, start = 0) =>
  readParts(path, start, 1000).map(({ part }) => (part.kind === 'text' ? part.data.text : part.kind));

describe('parts', () => {
  test('are read as they were written, from any place behind one', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 12 }), (said) => {
        const path = newPath();
        const { writer } = writerOf(path);
        for (const each of said) writer.write(text(each));
        writer.close();
        const read = readParts(path, 0, 1000);
        expect(textsIn(path)).toEqual(said);
        for (const [index, { end }] of read.entries())
          expect(textsIn(path, end)).toEqual(said.slice(index + 1));
      }),
      { numRuns: 30 },
    );
  });

  test('are none before the first one, which also makes the folder; only the owner may read them', () => {
    const path = newPath();
    const { writer } = writerOf(path);
    expect(readParts(path, 0, 10)).toEqual([]);
    expect(existsSync(path)).toBe(false);
    writer.write(text('first'));
    expect(textsIn(path)).toEqual(['first']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writer.close();
  });

  test('make no folder that another program made: one that has vanished stays away', () => {
    const path = newPath();
    const faults: string[] = [];
    const clock = new VirtualClock('2026-03-13T00:00:00Z');
    const writer = new PartWriter(path, clock, (fault) => faults.push(fault), 'expected');
    writer.write(text('lost'));
    writer.write(text('lost too'));
    writer.close();
    expect(existsSync(dirname(path))).toBe(false);
    expect(faults).toEqual([expect.stringContaining('ENOENT')]);
  });

  test('are limited in number, and go on behind the last one', () => {
    const path = newPath();
    const { writer } = writerOf(path);
    for (const each of ['a', 'b', 'c']) writer.write(text(each));
    writer.close();
    const two = readParts(path, 0, 2);
    expect(two).toHaveLength(2);
    expect(textsIn(path, two[1]?.end)).toEqual(['c']);
  });

  test('carry the row that they come from, and the time', () => {
    const path = newPath();
    const { writer } = writerOf(path);
    writer.write(text('said'), { file: 'chat.jsonl', offset: 41 });
    writer.close();
    expect(readParts(path, 0, 1)[0]?.part).toMatchObject({
      from: { file: 'chat.jsonl', offset: 41 },
      at_utc: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
});

describe('a line', () => {
  test('that is being written waits until it is whole', () => {
    const path = newPath();
    const { writer } = writerOf(path);
    writer.write(text('whole'));
    writer.close();
    const line = readFileSync(path, 'utf8');
    appendFileSync(path, line.slice(0, 20));
    expect(textsIn(path)).toEqual(['whole']);
    appendFileSync(path, line.slice(20));
    expect(textsIn(path)).toEqual(['whole', 'whole']);
  });

  test.each([
    ['that is no JSON', 'half a li'],
    ['of an unknown kind', '{"kind":"later","data":{},"at_utc":"2026-01-01T00:00:00.000Z"}'],
    ['without data', '{"kind":"text"}'],
  ])('%s is a gap, and the next one is read', (_what, line) => {
    const path = newPath();
    const { writer } = writerOf(path);
    writer.write(text('before'));
    appendFileSync(path, `${line}\n`);
    writer.write(text('behind'));
    writer.close();
    expect(textsIn(path)).toEqual(['before', 'gap', 'behind']);
  });
});

describe('a full disk', () => {
  test('costs parts, says so once, and leaves a gap before the next one that fits', () => {
    const path = newPath();
    const { writer, faults } = writerOf(path);
    writer.write(text('before'));
    const full = writerOf(join(folder, 'full.jsonl'));
    symlinkSync('/dev/full', join(folder, 'full.jsonl'));
    full.writer.write(text('lost'));
    full.writer.write(text('lost too'));
    expect(full.faults).toEqual([expect.stringMatching(/^parts\.jsonl could not be written: .*ENOSPC/)]);
    // Room again: a writer keeps its file, so the next one stands for it.
    full.writer.close();
    unlinkSync(join(folder, 'full.jsonl'));
    full.writer.write(text('fits'));
    full.writer.close();
    expect(textsIn(join(folder, 'full.jsonl'))).toEqual(['gap', 'fits']);
    expect(faults).toEqual([]);
    writer.close();
  });

  test('that cut a line costs one gap for both', () => {
    const path = newPath();
    const { writer } = writerOf(path);
    writer.write(text('before'));
    appendFileSync(path, '{"kind":"te');
    appendFileSync(path, '\n{"kind":"gap","data":{"detail":"lost"},"at_utc":"2026-01-01T00:00:00.000Z"}\n');
    writer.write(text('behind'));
    writer.close();
    expect(textsIn(path)).toEqual(['before', 'gap', 'behind']);
  });
});
