import { describe, expect, test } from 'vitest';
import { readEvents } from './support/events.js';
import { serve } from './support/served.js';

describe('events', () => {
  const served = serve();
  const read = async (query = '') => (await served.ask('GET', `/v1/events${query}`)).body;
  const kinds = (page: { events: { kind: string }[] }) => page.events.map((event) => event.kind);

  test('tell of a prompt from its acceptance to its end, with the fields of events.jsonl', async () => {
    const { next_after } = await read('?limit=200');
    const { request_id } = (await served.prompt('tell me')).body;
    await served.final(request_id);
    const page = await read(`?after=${next_after}`);
    expect(kinds(page)).toEqual([
      'accepted',
      'request_started',
      'turn_claimed',
      'turn_handed_over',
      'turn_confirmed',
      'turn_ended',
      'completed',
    ]);
    expect(page.next_after).toBe(page.events.at(-1).seq);
    expect(page.events[0]).toMatchObject({ subject_id: request_id, data: { request_kind: 'submit_prompt' } });
    const lines = readEvents(served.session.paths).filter((line) => line.request_id === request_id);
    const inFile = new Set(lines.map((line) => line.kind));
    for (const { kind, data } of page.events)
      if (inFile.has(kind) && data.request_id === request_id) expect(lines).toContainEqual({ ...data, kind });
  });

  test('come page by page, each once, in order', async () => {
    const all = (await read('?limit=200')).events;
    const paged = [];
    for (
      let page = await read('?limit=2');
      page.events.length > 0;
      page = await read(`?limit=2&after=${page.next_after}`)
    ) {
      expect(page.events.length).toBeLessThanOrEqual(2);
      paged.push(...page.events);
    }
    expect(paged).toEqual(all);
    const numbers = all.map((event: { seq: number }) => event.seq);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('are waited for, until there is one or the time is over', async () => {
    const { next_after } = await read('?limit=200');
    expect(await read(`?after=${next_after}&wait_seconds=0.2`)).toEqual({
      schema_version: 1,
      events: [],
      next_after,
    });
    const waiting = read(`?after=${next_after}&wait_seconds=60`);
    await served.prompt('news');
    expect(kinds(await waiting)).toContain('accepted');
  });

  test('go on behind a restart', async () => {
    const { next_after } = await read('?limit=200');
    const waiting = read(`?after=${next_after + 1000}&wait_seconds=60`);
    // An answer on another connection: the wait has reached the gateway by then.
    await served.ask('GET', '/health');
    await served.restart();
    // Who waited was let go with an answer.
    expect((await waiting).events).toEqual([]);
    const after = await read(`?after=${next_after}`);
    expect(kinds(after)).toEqual(expect.arrayContaining(['gateway_stopping', 'gateway_started']));
    expect(after.events[0].seq).toBeGreaterThan(next_after);
  });

  test.each([
    ['after=-1', 'greater_than_equal'],
    ['after=x', 'int_parsing'],
    ['limit=0', 'greater_than_equal'],
    ['limit=201', 'less_than_equal'],
    ['wait_seconds=61', 'less_than_equal'],
    ['since=1', 'extra_forbidden'],
  ])('refuse %s', async (query, type) => {
    const { status, body } = await served.ask('GET', `/v1/events?${query}`);
    expect([status, body.detail]).toEqual([
      422,
      [expect.objectContaining({ type, loc: ['query', query.split('=')[0]] })],
    ]);
  });
});
