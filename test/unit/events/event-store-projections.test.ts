import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Projections } from '../../../src/events/event-store.js';
import { Projection } from '../../../src/events/projection.js';
import { usualLogKeeping } from '../../../src/foundation/set-aside.js';
import { useEventTables } from '../../support/event-tables.js';

const disk = vi.hoisted(() => ({ writes: 0 }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync: (...given: Parameters<typeof fs.writeSync>) => {
      disk.writes += 1;
      return fs.writeSync(...given);
    },
  };
});

const tables = useEventTables();
let files: Projections;
const reported: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  const { path, events, checkpoints } = tables;
  files = new Projections(
    [Projection.open('lines', path, ({ seq }) => `line ${seq}`, events, checkpoints)],
    async (work) => work(),
    (line) => void reported.push(line),
    usualLogKeeping,
    { now: () => new Date() },
  );
  open = true;
  disk.writes = 0;
});
afterEach(async () => {
  await close();
  vi.useRealTimers();
  expect(reported.splice(0)).toEqual([]);
});

let open: boolean;
/** Also when the test has closed them. */
const close = async (): Promise<void> => {
  if (open) await files.close();
  open = false;
};
const commit = () => [tables.append()];
const written = () => readFileSync(tables.path, 'utf8').split('\n').slice(0, -1);

test('the line of a commit after a pause is written at once; those that follow soon are one write, by themselves', () => {
  files.follow(commit());
  expect([written(), disk.writes]).toEqual([['line 1'], 1]);
  files.follow(commit());
  files.follow([]);
  files.follow(commit());
  expect(written()).toEqual(['line 1']);
  vi.advanceTimersByTime(5);
  expect([written(), disk.writes]).toEqual([['line 1', 'line 2', 'line 3'], 2]);
  files.follow(commit());
  vi.advanceTimersByTime(5);
  vi.advanceTimersByTime(5);
  files.follow(commit());
  expect([written().length, disk.writes]).toEqual([5, 4]);
});

test('closing writes what was gathered', async () => {
  files.follow(commit());
  files.follow(commit());
  await close();
  expect(written()).toEqual(['line 1', 'line 2']);
  expect(vi.getTimerCount()).toBe(0);
});

test('lines that another event caught up are not written again', () => {
  files.follow(commit());
  const gathered = commit();
  files.follow(gathered);
  files.noteLater();
  vi.advanceTimersByTime(5);
  files.follow(commit());
  vi.advanceTimersByTime(1000);
  expect(written()).toEqual(['line 1', 'line 2', 'line 3']);
});
