import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AgentEvents,
  type HostEvent,
  keyOf,
  merged,
  readCursor,
  writeCursor,
} from '../../../../src/server/events/host-cursor.js';

interface Event {
  seq: number;
  at_utc: string;
}
const names = ['alpha', 'beta', 'gamma'];
/** The events of one agent; two may have one time, and the clock may have been set back. */
const record = fc
  .array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 })
  .map((times) =>
    times.map((time, index): Event => ({ seq: index + 1, at_utc: `2026-03-13T00:00:0${time}+00:00` })),
  );
const records = fc.tuple(record, record, record);

const readFrom = (all: readonly (readonly Event[])[], after: string | undefined, limit: number) => {
  const place = readCursor(after);
  const read = all.map(
    (events, index): AgentEvents<Event> => ({
      trackedAgentId: names[index] ?? '',
      agentName: null,
      events: events.filter(({ seq }) => seq > (place.get(keyOf(names[index] ?? '')) ?? 0)).slice(0, limit),
      gap: null,
    }),
  );
  return merged(read, place, limit);
};
const ofAgent = (items: readonly HostEvent<Event>[], name: string) =>
  items.flatMap(({ tracked_agent_id, event }) => (tracked_agent_id === name && event ? [event] : []));

describe('the events of several agents', () => {
  test('come once each and in the order of each agent, however long the pages are', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 7 }), (all, limit) => {
        const items: HostEvent<Event>[] = [];
        for (let after: string | undefined; ; ) {
          const page = readFrom(all, after, limit);
          if (page.items.length === 0) break;
          expect(page.items.length).toBeLessThanOrEqual(limit);
          expect(page.items.at(-1)?.id).toBe(writeCursor(page.next));
          items.push(...page.items);
          after = writeCursor(page.next);
        }
        for (const [index, events] of all.entries())
          expect(ofAgent(items, names[index] ?? '')).toEqual(events);
      }),
    );
  });

  test('are gone on with behind any of them', () => {
    fc.assert(
      fc.property(records, (all) => {
        const { items } = readFrom(all, undefined, 100);
        for (const [index, { id }] of items.entries()) {
          const rest = readFrom(all, id, 100).items;
          for (const name of names)
            expect(ofAgent(rest, name)).toEqual(ofAgent(items.slice(index + 1), name));
        }
      }),
    );
  });

  test('are in the order of time', () => {
    const at = (seconds: number, seq: number): Event => ({
      seq,
      at_utc: `2026-03-13T00:00:0${seconds}+00:00`,
    });
    const { items } = readFrom([[at(1, 1), at(3, 2)], [at(2, 1)], []], undefined, 100);
    expect(items.map(({ tracked_agent_id }) => tracked_agent_id)).toEqual(['alpha', 'beta', 'alpha']);
  });
});

test('a gap comes before the events of its agent, and begins its record again', () => {
  const from = new Map([
    [keyOf('alpha'), 41],
    [keyOf('beta'), 7],
  ]);
  const event = { seq: 1, at_utc: '2026-03-13T00:00:00+00:00' };
  const alpha = {
    trackedAgentId: 'alpha',
    agentName: 'HOUMAO-alpha',
    events: [event],
    gap: 'it began again',
  };
  const { items, next } = merged([alpha], from, 10);
  expect(items).toMatchObject([
    { agent_name: 'HOUMAO-alpha', event: null, gap: 'it began again' },
    { event, gap: null },
  ]);
  expect(readCursor(items[0]?.id).get(keyOf('alpha'))).toBe(0);
  expect(Object.fromEntries(next)).toEqual({ [keyOf('alpha')]: 1, [keyOf('beta')]: 7 });
  // An agent without a new event has its gap alone.
  expect(merged([{ ...alpha, events: [] }], from, 10).items).toHaveLength(1);
});

test('a cursor is read as it was written', () => {
  const places = fc.array(fc.tuple(fc.string(), fc.nat(9e14)), { maxLength: 60 });
  fc.assert(
    fc.property(places, (pairs) => {
      const cursor = new Map(pairs.map(([name, seq]) => [keyOf(name), seq] as const));
      const text = writeCursor(cursor);
      expect(text).toMatch(/^(0|[0-9a-f]{8}-[0-9]{1,15}(_[0-9a-f]{8}-[0-9]{1,15})*)$/);
      expect(readCursor(text)).toEqual(cursor);
    }),
  );
  expect(readCursor(undefined).size).toBe(0);
});
