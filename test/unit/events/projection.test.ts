import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventTable, eventSchema, type StoredEvent } from '../../../src/events/event-table.js';
import { Projection, ProjectionTable, projectionSchema } from '../../../src/events/projection.js';
import { openStore } from '../../../src/storage/open-store.js';
import { storeOver } from '../../support/store-over.js';

let folder: string;
let database: ReturnType<typeof openStore>;
let events: EventTable;
let checkpoints: ProjectionTable;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-projection-'));
  const name = { path: join(folder, 'queue.sqlite'), thing: 'queue', program: 'gateway' };
  database = openStore(name, [eventSchema, projectionSchema]);
  const store = storeOver(database);
  database.exec('PRAGMA synchronous = OFF');
  events = new EventTable(store);
  checkpoints = new ProjectionTable(store);
  path = join(folder, 'logs', 'lines.log');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Every third event has no line here; the others hold text of several bytes a character. */
const lineOf = (event: StoredEvent): string | null =>
  event.seq % 3 === 0 ? null : `${event.seq} Größe 漢字 🙂 ${event.kind}`;
const open = () => Projection.open('lines', path, lineOf, events, checkpoints);
const note = (projection: Projection) => projection.note(async (work) => work());
const append = (count: number): void => {
  for (let n = 0; n < count; n += 1)
    events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} });
};
const content = (): string => readFileSync(path, 'utf8');
const complete = (): string =>
  events
    .readAfter(0, Number.MAX_SAFE_INTEGER)
    .map(lineOf)
    .filter((line) => line !== null)
    .map((line) => `${line}\n`)
    .join('');

test('follows, across batches, and goes on after a clean end', async () => {
  append(3);
  let projection = open();
  append(1200);
  projection.follow();
  projection.follow();
  expect(content()).toBe(complete());
  await note(projection);
  projection.close();
  append(2);
  projection = open();
  expect(content()).toBe(complete());
  projection.close();
});

test('whatever was noted and wherever the file was cut, opening mends it, byte for byte', async () => {
  const step = fc.record({ events: fc.nat({ max: 5 }), note: fc.boolean(), cut: fc.nat({ max: 40 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      rmSync(path, { force: true });
      database.exec('DELETE FROM events; DELETE FROM projections');
      for (const { events: count, note: toNote, cut } of steps) {
        const projection = open();
        if (toNote) await note(projection);
        const { bytes } = checkpoints.checkpoint('lines');
        append(count);
        projection.follow();
        projection.close();
        // A crash: what came after the note may be half there.
        const { length } = readFileSync(path);
        truncateSync(path, Math.max(bytes, length - cut));
      }
      open().close();
      expect(content()).toBe(complete());
    }),
    { numRuns: 150 },
  );
});

test('events at hand are taken as they are; where some are missing the table is read', () => {
  const projection = open();
  const fresh = () =>
    events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} });
  projection.follow([fresh(), fresh()]);
  projection.follow([]);
  expect(content()).toBe(complete());
  fresh();
  projection.follow([fresh()]);
  expect(content()).toBe(complete());
  projection.follow([fresh()]);
  expect(content()).toBe(complete());
  projection.close();
});

test('foreign lines in the file stay, and ours are there once', () => {
  append(2);
  let projection = open();
  appendFileSync(path, 'FATAL ERROR\n');
  append(2);
  projection.follow();
  projection.close();
  appendFileSync(path, 'half a foreign line');
  append(1);
  projection = open();
  projection.close();
  const lines = content().split('\n').slice(0, -1);
  expect(lines.filter((line) => /^\d+ /.test(line)).join('\n')).toBe(complete().trimEnd());
  expect(lines.filter((line) => !/^\d+ /.test(line))).toEqual(['FATAL ERROR', 'half a foreign line']);
});

test('a file that another program emptied goes on with what follows', async () => {
  append(4);
  let projection = open();
  await note(projection);
  projection.close();
  writeFileSync(path, '');
  append(1);
  projection = open();
  projection.close();
  expect(content()).toBe(`${lineOf({ seq: 5, kind: 'gateway_stopping' } as StoredEvent)}\n`);
});

test('a write that failed is made good by the next call, not doubled', async () => {
  let broken = false;
  const failing = (event: StoredEvent): string | null => {
    if (broken) throw new Error('no space left');
    return lineOf(event);
  };
  const projection = Projection.open('lines', path, failing, events, checkpoints);
  append(4);
  projection.follow();
  append(4);
  broken = true;
  expect(() => projection.follow()).toThrow('no space left');
  // The part of a write that a full disk takes.
  appendFileSync(path, lineOf({ seq: 5, kind: 'gateway_stopping' } as StoredEvent)?.slice(0, 9) ?? '');
  await note(projection);
  broken = false;
  append(1);
  projection.follow();
  expect(content()).toBe(complete());
  projection.close();
});
