import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventTable, eventSchema, type StoredEvent } from '../../../src/events/event-table.js';
import { Projection, ProjectionTable, projectionSchema } from '../../../src/events/projection.js';
import { openStore } from '../../../src/storage/open-store.js';
import { storeOver } from '../../support/store-over.js';

// A disk that fills up: it takes so many bytes, and refuses the rest.
const disk = vi.hoisted(() => ({ free: Number.POSITIVE_INFINITY }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    writeSync: (file: number, bytes: Buffer, offset = 0): number => {
      if (disk.free <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const taken = real.writeSync(file, bytes, offset, Math.min(bytes.length - offset, disk.free));
      disk.free -= taken;
      return taken;
    },
  };
});

let folder: string;
let database: ReturnType<typeof openStore>;
let events: EventTable;
let checkpoints: ProjectionTable;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-projection-'));
  const name = { path: join(folder, 'queue.sqlite'), thing: 'queue', program: 'gateway' };
  database = openStore(name, [eventSchema, projectionSchema]);
  events = new EventTable(storeOver(database));
  checkpoints = new ProjectionTable(storeOver(database));
});
afterEach(() => {
  disk.free = Number.POSITIVE_INFINITY;
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const note = (projection: Projection) => projection.note(async (work) => work());
const lineOf = ({ seq, kind }: StoredEvent): string => `${seq} Größe ${kind}`;
const append = (count: number): StoredEvent[] =>
  Array.from({ length: count }, () =>
    events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} }),
  );
const complete = (): string =>
  events
    .readAfter(0, 1000)
    .map((event) => `${lineOf(event)}\n`)
    .join('');

/** Of a write of two lines: nothing, half a character, the first line without its newline, with it, and both but the end. */
const line = Buffer.byteLength('1 Größe gateway_stopping\n');
test.each([0, 5, line - 1, line, line + 3, 2 * line - 1])(
  'a disk that takes %i bytes of a write and refuses the rest loses nothing',
  async (bytes) => {
    const path = join(folder, 'lines.log');
    let projection = Projection.open('lines', path, lineOf, events, checkpoints);
    projection.follow(append(2));
    await note(projection);
    disk.free = bytes;
    expect(() => projection.follow(append(2))).toThrow('no space left');
    // A line that is not written is not noted either: the next start would begin behind it.
    await note(projection);
    expect(checkpoints.checkpoint('lines')).toEqual({ seq: 2, bytes: 2 * line });
    expect(() => projection.follow(append(1))).toThrow('no space left');
    disk.free = Number.POSITIVE_INFINITY;
    // As after every commit: with the events of that commit at hand.
    projection.follow(append(1));
    expect(readFileSync(path, 'utf8')).toBe(complete());
    await note(projection);
    projection.close();
    projection = Projection.open('lines', path, lineOf, events, checkpoints);
    expect(readFileSync(path, 'utf8')).toBe(complete());
    projection.close();
  },
);
