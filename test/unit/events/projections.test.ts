import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventTable, eventSchema, type StoredEvent } from '../../../src/events/event-table.js';
import { Projection } from '../../../src/events/projection.js';
import { ProjectionTable, projectionSchema } from '../../../src/events/projection-table.js';
import { Projections } from '../../../src/events/projections.js';
import { openStore } from '../../../src/storage/open-store.js';
import { storeOver } from '../../support/store-over.js';

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

let folder: string;
let database: Database.Database;
let events: EventTable;
let files: Projections;
let path: string;
const reported: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'houmao-projections-'));
  path = join(folder, 'lines.log');
  database = openStore({ path: join(folder, 'store.sqlite'), thing: 'store', program: 'test' }, [
    eventSchema,
    projectionSchema,
  ]);
  const store = storeOver(database);
  events = new EventTable(store);
  files = new Projections(
    [Projection.open('lines', path, ({ seq }) => `line ${seq}`, events, new ProjectionTable(store))],
    async (work) => work(),
    (line) => void reported.push(line),
  );
  open = true;
  disk.writes = 0;
});
afterEach(async () => {
  await close();
  vi.useRealTimers();
  database.close();
  rmSync(folder, { recursive: true, force: true });
  expect(reported.splice(0)).toEqual([]);
});

let open: boolean;
/** Also when the test has closed them. */
const close = async (): Promise<void> => {
  if (open) await files.close();
  open = false;
};
const commit = (): StoredEvent[] => [
  events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} }),
];
const written = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);

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
