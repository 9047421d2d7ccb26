import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventFeed, type EventPage, EventTable, eventSchema } from '../../../src/events/event-table.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { openStore } from '../../../src/storage/open-store.js';
import { storeOver } from '../../support/store-over.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
let database: ReturnType<typeof openStore>;
let events: EventTable;
let feed: EventFeed;
beforeEach(() => {
  serial += 1;
  const path = join(folder, String(serial), 'queue.sqlite');
  database = openStore({ path, thing: 'queue', program: 'gateway' }, [eventSchema]);
  events = new EventTable(storeOver(database));
  feed = new EventFeed(events, systemClock);
});
afterEach(() => void database.close());

const append = (count: number): void => {
  for (let n = 0; n < count; n += 1)
    events.append('2026-03-13T00:00:00+00:00', { kind: 'gateway_stopping', subjectId: null, data: {} });
};
const read = (after: number, waitSeconds = 0, signal = new AbortController().signal): Promise<EventPage> =>
  feed.read(after, 50, waitSeconds, signal);
const numbers = (page: EventPage): number[] | EventPage =>
  'events' in page ? page.events.map(({ seq }) => seq) : page;
/** Lets everything that is not a timer come to pass; a page that waits is still waiting then. */
const waits = async (page: Promise<EventPage>): Promise<boolean> =>
  Promise.race([
    page.then(() => false),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
  ]);

test('a number that no event has yet is not waited for: the last one is named', async () => {
  expect(await read(1)).toEqual({ last: 0 });
  append(9);
  expect(await read(10, 60)).toEqual({ last: 9 });
  expect(await read(41, 60)).toEqual({ last: 9 });
  expect(numbers(await read(7))).toEqual([8, 9]);
});

test('after the last event, and from the beginning of an empty record, the next one is waited for', async () => {
  expect(numbers(await read(0))).toEqual([]);
  const first = read(0, 60);
  expect(await waits(first)).toBe(true);
  append(1);
  feed.arrived();
  expect(numbers(await first)).toEqual([1]);
  expect(numbers(await read(1))).toEqual([]);
  const second = read(1, 60);
  expect(await waits(second)).toBe(true);
  append(1);
  feed.arrived();
  expect(numbers(await second)).toEqual([2]);
});

test('a record that begins again while a follower waits is reported at the next event', async () => {
  append(5);
  const waiting = read(5, 60);
  expect(await waits(waiting)).toBe(true);
  database.exec('DELETE FROM events');
  append(1);
  feed.arrived();
  expect(await waiting).toEqual({ last: 1 });
});

test('a wait ends with its time, with its caller, and with the feed', async () => {
  append(1);
  expect(numbers(await read(1, 0.01))).toEqual([]);
  const caller = new AbortController();
  const left = read(1, 60, caller.signal);
  caller.abort();
  expect(numbers(await left)).toEqual([]);
  const last = read(1, 60);
  expect(await waits(last)).toBe(true);
  feed.close();
  expect(numbers(await last)).toEqual([]);
  expect(numbers(await read(1, 60))).toEqual([]);
});
