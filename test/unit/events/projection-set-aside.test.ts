import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { Projection, timeOfLine } from '../../../src/events/projection.js';
import { filesAside, isFull } from '../../../src/foundation/set-aside.js';
import { useEventTables } from '../../support/event-tables.js';

/** A process that is killed after so many changes of the disk: the next one and all later ones are not done. */
const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY, refusesNew: false }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const counted =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      if (disk.left <= 0) throw new Error('killed');
      disk.left -= 1;
      return work(...given);
    };
  return {
    ...fs,
    writeSync: counted(fs.writeSync),
    renameSync: counted(fs.renameSync),
    openSync: counted((path: string, ...rest: [string, number]) => {
      if (disk.refusesNew && path.endsWith('.next'))
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return fs.openSync(path, ...rest);
    }),
  };
});

const tables = useEventTables();
beforeEach(() => {
  disk.left = Number.POSITIVE_INFINITY;
  disk.refusesNew = false;
});

const lineOf = ({ seq }: { seq: number }): string => `line ${seq}`;
const open = () => Projection.open('lines', tables.path, lineOf, tables.events, tables.checkpoints);
const write = async (work: () => void): Promise<void> => {
  if (disk.left <= 0) throw new Error('killed');
  disk.left -= 1;
  work();
};
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const allLines = (): string[] => [...filesAside(tables.path).reverse(), tables.path].flatMap(linesOf);

type Step = { do: 'append' | 'note' | 'aside' } | { do: 'kill'; after: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'append' }) },
  fc.constant<Step>({ do: 'note' }),
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'aside' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant<'kill'>('kill'), after: fc.nat(7) }) },
);

test('wherever the process is killed while it sets the file aside, every line is there once, in order', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      for (const path of [...filesAside(tables.path), tables.path]) rmSync(path, { force: true });
      const first = tables.events.last();
      tables.checkpoints.note('lines', { seq: first, bytes: 0 });
      let projection = open();
      for (const one of steps) {
        if (one.do === 'kill') {
          disk.left = one.after;
          continue;
        }
        try {
          if (one.do === 'append') projection.follow([tables.append()]);
          else if (one.do === 'note') await projection.note(write);
          else await projection.setAside(100, write);
        } catch {
          // The next process finds what this one left.
        }
        if (disk.left <= 0) {
          disk.left = Number.POSITIVE_INFINITY;
          projection.close();
          projection = open();
        }
      }
      disk.left = Number.POSITIVE_INFINITY;
      projection.close();
      open().close();
      const expected = tables.events.readAfter(first, 1000).map(lineOf);
      expect(allLines()).toEqual(expected);
      count += filesAside(tables.path).length;
      expect(existsSync(`${tables.path}.next`)).toBe(false);
    }),
    { numRuns: 300 },
  );
  // Files were set aside at all.
  expect(count).toBeGreaterThan(100);
});

test('what comes while a file is held is written behind it, and its checkpoint speaks of the new file', async () => {
  const projection = open();
  projection.follow([tables.append()]);
  let stored: () => void = () => undefined;
  const waits: Promise<void>[] = [];
  const slowly = (work: () => void): Promise<void> => {
    const waiting = new Promise<void>((resolve) => {
      stored = () => {
        work();
        resolve();
      };
    });
    waits.push(waiting);
    return waiting;
  };
  const aside = projection.setAside(5, slowly);
  await vi.waitUntil(() => waits.length === 1);
  projection.follow([tables.append()]);
  expect(linesOf(tables.path)).toEqual(['line 1']);
  stored();
  await vi.waitUntil(() => waits.length === 2);
  expect([linesOf(`${tables.path}.1`), linesOf(tables.path)]).toEqual([['line 1'], []]);
  stored();
  await aside;
  expect(linesOf(tables.path)).toEqual(['line 2']);
  expect(tables.checkpoints.checkpoint('lines')).toEqual({ seq: 1, bytes: 0 });
  projection.close();
});

test('a disk that refuses the new file changes nothing: lines go on in the old one, and it is set aside later', async () => {
  const projection = open();
  projection.follow([tables.append()]);
  disk.refusesNew = true;
  await expect(projection.setAside(5, write)).rejects.toThrow('no space left');
  projection.follow([tables.append()]);
  expect([filesAside(tables.path), linesOf(tables.path)]).toEqual([[], ['line 1', 'line 2']]);
  disk.refusesNew = false;
  await projection.setAside(5, write);
  projection.follow([tables.append()]);
  expect(allLines()).toEqual(['line 1', 'line 2', 'line 3']);
  expect(linesOf(tables.path)).toEqual(['line 3']);
  projection.close();
});

test('no more files stay than are kept', async () => {
  const projection = open();
  for (const kept of [3, 3, 3, 3, 1, 0]) {
    projection.follow([tables.append()]);
    await projection.setAside(kept, write);
    expect(filesAside(tables.path).length).toBeLessThanOrEqual(kept);
  }
  expect(existsSync(dirname(tables.path))).toBe(true);
  expect([filesAside(tables.path), linesOf(tables.path)]).toEqual([[], []]);
  projection.close();
});

const day = 24 * 60 * 60 * 1000;
test.each([
  [{ bytes: 0, begun: 0 }, false],
  [{ bytes: 99, begun: 91 * day }, false],
  [{ bytes: 100, begun: 91 * day }, true],
  [{ bytes: 1, begun: 90 * day }, true],
  [{ bytes: 1, begun: null }, false],
  // The clock was set back.
  [{ bytes: 1, begun: 200 * day }, false],
])('a file %j is full: %j', (size, full) => {
  expect(isFull(size, { maxBytes: 100, days: 10, files: 1 }, new Date(100 * day))).toBe(full);
});

test.each([
  ['2026-03-13T08:24:42+00:00 accepted public gateway request', '2026-03-13T08:24:42Z'],
  [
    '{"detail":"it said \\"at_utc\\":\\"2020","seq":1,"at_utc":"2026-03-13T08:24:42+00:00"}',
    '2026-03-13T08:24:42Z',
  ],
  ['FATAL ERROR: heap', null],
  ['', null],
])('the time of the line %s is %s', (line, time) => {
  expect(timeOfLine(line)).toBe(time === null ? null : Date.parse(time));
});
