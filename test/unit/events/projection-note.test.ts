import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventTable, eventSchema, type StoredEvent } from '../../../src/events/event-table.js';
import { Projection } from '../../../src/events/projection.js';
import { ProjectionTable, projectionSchema } from '../../../src/events/projection-table.js';
import { openStore } from '../../../src/storage/open-store.js';
import { storeOver } from '../../support/store-over.js';

type Done = (error: Error | null) => void;
/** A disk whose syncs wait for the test. */
const disk = vi.hoisted(() => ({ waiting: [] as Done[] }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fdatasync: (_file: number, done: Done) => void disk.waiting.push(done),
}));

let folder: string;
let database: Database.Database;
let events: EventTable;
let checkpoints: ProjectionTable;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-note-'));
  path = join(folder, 'lines.log');
  database = openStore({ path: join(folder, 'store.sqlite'), thing: 'store', program: 'test' }, [
    eventSchema,
    projectionSchema,
  ]);
  const store = storeOver(database);
  events = new EventTable(store);
  checkpoints = new ProjectionTable(store);
  disk.waiting = [];
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => Projection.open('lines', path, ({ seq }) => `line ${seq}`, events, checkpoints);
const append = (): StoredEvent[] => [
  events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} }),
];
const write = async (work: () => void): Promise<void> => work();
const length = 'line 1\n'.length;

test('a note speaks of what is on disk: not before its sync, and not of what came meanwhile', async () => {
  const projection = open();
  projection.follow(append());
  const noted = projection.note(write);
  projection.follow(append());
  expect(checkpoints.checkpoint('lines')).toEqual({ seq: 0, bytes: 0 });
  disk.waiting.shift()?.(null);
  await noted;
  expect(checkpoints.checkpoint('lines')).toEqual({ seq: 1, bytes: length });
  const next = projection.note(write);
  disk.waiting.shift()?.(null);
  await next;
  expect(checkpoints.checkpoint('lines')).toEqual({ seq: 2, bytes: 2 * length });
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
  expect(checkpoints.checkpoint('lines')).toEqual({ seq: 1, bytes: length });
  projection.close();
  // The power goes.
  truncateSync(path, length);
  projection = open();
  expect(readFileSync(path, 'utf8')).toBe('line 1\nline 2\nline 3\n');
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
  expect(checkpoints.checkpoint('lines').seq).toBe(1);
  projection.close();
});
