import { readFileSync, truncateSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { Projection } from '../../../src/events/projection.js';
import { useEventTables } from '../../support/event-tables.js';

type Done = (error: Error | null) => void;
/** A disk whose syncs wait for the test. */
const disk = vi.hoisted(() => ({ waiting: [] as Done[] }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fdatasync: (_file: number, done: Done) => void disk.waiting.push(done),
}));

const tables = useEventTables();
beforeEach(() => {
  disk.waiting = [];
});

const open = () =>
  Projection.open('lines', tables.path, ({ seq }) => `line ${seq}`, tables.events, tables.checkpoints);
const append = () => [tables.append()];
const write = async (work: () => void): Promise<void> => work();
const length = 'line 1\n'.length;

test('a note speaks of what is on disk: not before its sync, and not of what came meanwhile', async () => {
  const projection = open();
  projection.follow(append());
  const noted = projection.note(write);
  projection.follow(append());
  expect(tables.checkpoints.checkpoint('lines')).toEqual({ seq: 0, bytes: 0 });
  disk.waiting.shift()?.(null);
  await noted;
  expect(tables.checkpoints.checkpoint('lines')).toEqual({ seq: 1, bytes: length });
  const next = projection.note(write);
  disk.waiting.shift()?.(null);
  await next;
  expect(tables.checkpoints.checkpoint('lines')).toEqual({ seq: 2, bytes: 2 * length });
  projection.close();
});

test('a file whose disk refused a sync is noted no more, and the next start mends what is lost', async () => {
  let projection = open();
  projection.follow(append());
  const noted = projection.note(write);
  disk.waiting.shift()?.(null);
  await noted;
  projection.follow(append());
  const refused = projection.note(write);
  disk.waiting.shift()?.(new Error('EIO'));
  await expect(refused).rejects.toThrow('EIO');
  projection.follow(append());
  await projection.note(write);
  expect(disk.waiting).toEqual([]);
  expect(tables.checkpoints.checkpoint('lines')).toEqual({ seq: 1, bytes: length });
  projection.close();
  // The power goes.
  truncateSync(tables.path, length);
  projection = open();
  expect(readFileSync(tables.path, 'utf8')).toBe('line 1\nline 2\nline 3\n');
  projection.close();
});

test('a note that cannot be stored is tried again', async () => {
  const projection = open();
  projection.follow(append());
  const refused = projection.note(async () => {
    throw new Error('locked');
  });
  disk.waiting.shift()?.(null);
  await expect(refused).rejects.toThrow('locked');
  const noted = projection.note(write);
  disk.waiting.shift()?.(null);
  await noted;
  expect(tables.checkpoints.checkpoint('lines').seq).toBe(1);
  projection.close();
});
