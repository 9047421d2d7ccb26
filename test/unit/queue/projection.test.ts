import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventTable, type StoredEvent } from '../../../src/events/event-table.js';
import { Projection } from '../../../src/events/projection.js';
import { ProjectionTable } from '../../../src/events/projection-table.js';
import { openQueueDatabase } from '../../../src/gateway/database.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
let counter = 0;
const lineOf = (event: StoredEvent): string | null =>
  event.kind === 'hidden' ? null : `${event.seq} ${(JSON.parse(event.data_json) as { text: string }).text}`;

/** A database with its file, and what the file should hold. */
function place() {
  counter += 1;
  const database = openQueueDatabase(join(folder, `${counter}.sqlite`));
  const events = new EventTable(database);
  const checkpoints = new ProjectionTable(database);
  const path = join(folder, `${counter}`, 'events.jsonl');
  return {
    path,
    checkpoints,
    append: (text: string, kind = 'shown') =>
      events.append('2026-01-01T00:00:00Z', { kind, subjectId: null, data: { text } }),
    open: () => Projection.open('file', path, lineOf, events, checkpoints),
    read: () => readFileSync(path, 'utf8'),
    expected: () =>
      events
        .readAfter(0, 1_000_000)
        .map(lineOf)
        .filter((line) => line !== null)
        .map((line) => `${line}\n`)
        .join(''),
    close: () => database.close(),
  };
}

describe('projection', () => {
  it('follows the events, in batches too, and leaves out those without a line', () => {
    const { append, open, read, expected, path, close } = place();
    append('before');
    const projection = open();
    expect(read()).toBe('1 before\n');
    for (let index = 0; index < 1203; index += 1) append(`n${index}`, index % 7 === 0 ? 'hidden' : 'shown');
    projection.follow();
    projection.follow();
    expect(read()).toBe(expected());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    projection.close();
    close();
  });

  it('a crash at any byte after any note leaves nothing missing and nothing doubled', () => {
    const texts = fc.array(fc.constantFrom('plain', 'größer', '日本', '🙂🙂', '', 'hidden'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        texts,
        (noted, lost, part, later) => {
          const { append, open, read, expected, path, checkpoints, close } = place();
          const add = (text: string) => append(text, text === 'hidden' ? 'hidden' : 'shown');
          noted.forEach(add);
          const first = open();
          first.note();
          const safe = statSync(path).size;
          expect(checkpoints.checkpoint('file')).toEqual(
            noted.length === 0 ? { seq: 0, bytes: 0 } : { seq: noted.length, bytes: safe },
          );
          lost.forEach(add);
          first.follow();
          first.close();
          truncateSync(path, safe + Math.round((statSync(path).size - safe) * part));
          later.forEach(add);
          const second = open();
          expect(read()).toBe(expected());
          add('more');
          second.follow();
          expect(read()).toBe(expected());
          second.close();
          close();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('goes on after foreign words, with and without a newline', () => {
    const { append, open, read, path, close } = place();
    append('one');
    open().close();
    appendFileSync(path, 'a stack trace\nand its end');
    append('two');
    open().close();
    expect(read()).toBe('1 one\na stack trace\nand its end\n2 two\n');
    open().close();
    expect(read()).toBe('1 one\na stack trace\nand its end\n2 two\n');
    close();
  });

  it('a file that somebody emptied gets only what came after its note', () => {
    const { append, open, read, path, close } = place();
    append('one');
    const projection = open();
    projection.note();
    projection.close();
    writeFileSync(path, '');
    append('two');
    open().close();
    expect(read()).toBe('2 two\n');
    close();
  });

  it('begins with the whole story when the file is gone before any note', () => {
    const { append, open, read, expected, close } = place();
    append('one');
    append('two');
    open().close();
    expect(read()).toBe(expected());
    close();
  });
});
