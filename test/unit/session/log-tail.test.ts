import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { setAside } from '../../../src/foundation/set-aside.js';
import { lastLines, linesAfter, logStart, nextLines } from '../../../src/session/log-tail.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const path = join(folder, 'log');
const filesAside = 4;
/** Begins without any file. */
function begin(): void {
  for (const file of [path, ...Array.from({ length: filesAside + 1 }, (_, index) => `${path}.${index + 1}`)])
    rmSync(file, { force: true });
}

const line = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.constant('ü'.repeat(50_000)))
  .map((text) => text.replaceAll('\n', ' '));

test('the last whole lines are those that a reader of all of it would give, those of files aside before them', () => {
  const files = fc.array(fc.array(line, { maxLength: 8 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(files, fc.nat(9), fc.boolean(), (all, count, isTorn) => {
      begin();
      const text = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('');
      for (const [index, lines] of all.entries()) {
        if (index > 0) setAside(path, filesAside);
        writeFileSync(path, text(lines));
      }
      if (isTorn) appendFileSync(path, 'half');
      const { lines, place } = lastLines(path, count);
      expect(lines).toEqual(count === 0 ? [] : all.flat().slice(-count));
      expect(place.offset).toBe(Buffer.byteLength(text(all.at(-1)!)));
    }),
    { numRuns: 60 },
  );
});

test('a reader that goes on has each line once, in order, over rotations', () => {
  const step = fc.oneof(
    fc.record({ write: line }),
    fc.record({ half: fc.string().map((text) => text.replaceAll('\n', ' ')) }),
    fc.constant('rotate' as const),
    fc.constant('read' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      begin();
      const written: string[] = [];
      const read: string[] = [];
      let [place, half, rotated] = [logStart, '', 0];
      const readAll = (): void => {
        for (let added = linesAfter(path, place); ; added = linesAfter(path, place)) {
          read.push(...added.lines);
          ({ place } = added);
          if (added.lines.length === 0) break;
        }
        rotated = 0;
      };
      for (const each of steps)
        if (each === 'read') readAll();
        else if (each === 'rotate') {
          // More files than stay would take lines with them that nobody has read; a line ends before a file is set aside.
          if (half !== '' || rotated === filesAside || !existsSync(path)) continue;
          setAside(path, filesAside);
          rotated += 1;
        } else if ('write' in each) {
          appendFileSync(path, `${each.write}\n`);
          written.push(half + each.write);
          half = '';
        } else {
          appendFileSync(path, each.half);
          half += each.half;
        }
      readAll();
      expect(read).toEqual(written);
    }),
    { numRuns: 100 },
  );
});

test('a line without end is given in pieces; a file that became shorter is read from its beginning', () => {
  begin();
  appendFileSync(path, 'x'.repeat(600_000));
  const piece = linesAfter(path, logStart);
  expect(piece.lines).toHaveLength(1);
  // In characters of one byte each.
  expect(piece.lines[0]).toHaveLength(256 * 1024);
  writeFileSync(path, 'short\n');
  expect(linesAfter(path, piece.place).lines).toEqual(['short']);
});

test('the next lines are waited for, until there are some, or the time is over, or nobody waits any more', async () => {
  begin();
  const leaving = new AbortController();
  const patience = { clock: systemClock, milliseconds: Number.POSITIVE_INFINITY, signal: leaving.signal };
  const next = nextLines(path, logStart, patience);
  writeFileSync(path, 'at last\n');
  const { lines, place } = await next;
  expect(lines).toEqual(['at last']);
  for (const where of [path, null]) {
    const over = nextLines(where, place, { ...patience, milliseconds: 1 });
    expect(await over).toEqual({ lines: [], place });
  }
  const none = nextLines(path, place, patience);
  leaving.abort();
  expect(await none).toEqual({ lines: [], place });
});
