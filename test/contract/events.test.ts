import { existsSync, renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/foundation/open-database.js';
import { expectedLines, linesOf } from '../e2e/recovery/evidence.js';
import type { Part } from './support/bundle.js';
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
    // Each names its request, those of its turn too.
    expect(page.events.map(({ data }: Part) => data.request_id)).toEqual(page.events.map(() => request_id));
    const reported = readEvents(served.session.paths);
    // By itself, while nothing else happens: no line waits for the next event.
    await expect
      .poll(() => linesOf(served.session.paths.events).map((line) => JSON.parse(line)))
      .toEqual(reported);
    const lines = reported.filter((line) => line.request_id === request_id);
    const inFile = new Set(lines.map((line) => line.kind));
    for (const { seq, at_utc, kind, data } of page.events)
      if (inFile.has(kind) && data.request_id === request_id)
        expect(lines).toContainEqual({ ...data, seq, at_utc, kind });
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
    const { request_id } = (await served.prompt('news')).body;
    expect(kinds(await waiting)).toContain('accepted');
    await served.final(request_id);
  });

  test('go on behind a restart', async () => {
    const { next_after } = await read('?limit=200');
    const waiting = read(`?after=${next_after}&wait_seconds=60`);
    // An answer on another connection: the wait has reached the gateway by then.
    await served.ask('GET', '/health');
    await served.restart();
    // Waiting callers learned that it stops.
    expect(kinds(await waiting)).toEqual(['gateway_stopping']);
    const after = await read(`?after=${next_after}`);
    expect(kinds(after)).toEqual(expect.arrayContaining(['gateway_stopping', 'gateway_started']));
    expect(after.events[0].seq).toBeGreaterThan(next_after);
  });

  test('of a turn are found in gateway.log by the id of its request', async () => {
    const { request_id } = (await served.prompt('find me')).body;
    const { turn } = await served.final(request_id);
    const lines = expectedLines(served.session.paths).log;
    await expect.poll(() => linesOf(served.session.paths.log)).toEqual(lines);
    const words = lines
      .filter((line) => line.includes(` request_id=${request_id} `) || line.endsWith(request_id))
      .map((line) => line.split(' ').slice(1, 3).join(' '));
    expect(words).toEqual([
      'accepted public',
      'executing gateway',
      'turn handed',
      'turn confirmed',
      'turn ended',
      'completed gateway',
    ]);
    const ofTurn = lines.filter((line) => line.includes(` turn_id=${turn.turn_id} `));
    expect(ofTurn).toHaveLength(3);
    expect(ofTurn.every((line) => line.includes(` request_id=${request_id} `))).toBe(true);
  });

  test('that another version stored are reported as such, among the others', async () => {
    const { next_after } = await read('?limit=200');
    await served.restart(() => {
      const database = openDatabase(served.session.paths.queue);
      const insert = database.prepare(
        'INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES (?, ?, ?, ?)',
      );
      const at = '2026-03-13T00:00:00+00:00';
      insert.run(at, 'comet_seen', 'c', '{"path":"/etc/passwd"}');
      insert.run(at, 'failed', 'gwreq-1', '{"request_id":"gwreq-1"}');
      insert.run(at, 'turn_confirmed', 't', `{"turn_id":"t","evidence":"a row","at_utc":"${at}"}`);
      insert.run(at, 'completed', null, 'no JSON');
      database.close();
    });
    const page = await read(`?after=${next_after}&limit=200`);
    const { events } = page;
    expect(kinds(page)).toEqual(expect.arrayContaining(['gateway_stopping', 'gateway_started']));
    const from = kinds(page).indexOf('gateway_stopping') + 1;
    const seen = events.slice(from, from + 4).map(({ kind, data }: Part) => ({ kind, data }));
    expect(seen).toEqual([
      { kind: 'other', data: { kind: 'comet_seen', fields: null } },
      { kind: 'other', data: { kind: 'failed', fields: { request_id: 'gwreq-1' } } },
      {
        kind: 'turn_confirmed',
        data: { turn_id: 't', evidence: 'a row', at_utc: '2026-03-13T00:00:00+00:00' },
      },
      { kind: 'other', data: { kind: 'completed', fields: null } },
    ]);
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

describe('a record that began again', () => {
  const served = serve();
  const ask = async (query: string) => {
    const { status, body } = await served.ask('GET', `/v1/events?${query}`);
    return { status, body };
  };

  test('is reported to a caller who followed the one before it, or asks beyond the last event', async () => {
    const { request_id } = (await served.prompt('before')).body;
    await served.final(request_id);
    const { next_after } = (await ask('limit=200')).body;
    const waiting = ask(`after=${next_after}&wait_seconds=60`);
    await served.ask('GET', '/health');
    // The doctor's own remedy for a damaged queue.
    await served.restart(() => {
      for (const end of ['', '-wal', '-shm'])
        if (existsSync(served.session.paths.queue + end))
          renameSync(served.session.paths.queue + end, `${served.session.paths.queue}.aside${end}`);
    });
    // The waiting caller learns that the gateway stops, and of the new record when it asks again.
    const { status, body } = await waiting;
    expect([status, body.events.map(({ kind }: Part) => kind)]).toEqual([200, ['gateway_stopping']]);
    const { events } = (await ask('limit=200')).body;
    const last = events.at(-1).seq;
    expect(last).toBeLessThan(body.next_after);
    const beyond = (after: number) => ({
      status: 410,
      body: {
        detail: `There is no event ${after}: the last one is ${last}. Either the number is wrong, or the log of events was started again; after=0 reads it from the beginning.`,
      },
    });
    expect(await ask(`after=${body.next_after}&wait_seconds=60`)).toEqual(beyond(body.next_after));
    expect(await ask(`after=${last + 1}`)).toEqual(beyond(last + 1));
    expect(await ask('after=9007199254740991')).toEqual(beyond(Number.MAX_SAFE_INTEGER));
    expect(await ask(`after=${last}`)).toEqual({
      status: 200,
      body: { schema_version: 1, events: [], next_after: last },
    });
    const next = ask(`after=${last}&wait_seconds=60`);
    await served.prompt('after');
    expect((await next).body.events[0].seq).toBe(last + 1);
  });
});
