import { describe, expect, test } from 'vitest';
import { readEvents } from './support/events.js';
import { type Served, serve, serveEach } from './support/served.js';

const served = serve();
const lister =
  (served: Served) =>
  async (query = '') =>
    (await served.ask('GET', `/v1/requests${query}`)).body;
const ids = (page: { requests: { request_id: string }[] }): string[] =>
  page.requests.map((one) => one.request_id);

describe('GET /v1/requests of a queue with nothing else in it', () => {
  const served = serveEach();
  const list = lister(served);

  test('is empty before anything was asked', async () => {
    expect(await list()).toEqual({ schema_version: 1, requests: [], next_cursor: null });
  });

  test('pages from the newest to the oldest, also while rows are added', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.unshift((await served.interrupt()).body.request_id);
    const first = await list('?limit=2');
    expect(ids(first)).toEqual(made.slice(0, 2));
    const added = (await served.interrupt()).body.request_id;
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect(ids(second)).toEqual(made.slice(2, 4));
    const last = await list(`?limit=2&cursor=${second.next_cursor}`);
    expect([ids(last), last.next_cursor]).toEqual([made.slice(4), null]);
    expect(ids(await list('?limit=1'))).toEqual([added]);
    expect(ids(await list())).toEqual([added, ...made]);
    const exact = await list('?limit=6');
    expect([ids(exact).length, exact.next_cursor]).toEqual([6, null]);
  });

  test('can be asked for one state', async () => {
    const ended: string[] = [];
    for (const prompt of ['first', '[[exit=3]] failed', 'last']) {
      const { request_id } = (await served.prompt(prompt)).body;
      await served.final(request_id);
      ended.push(request_id);
    }
    const [first = '', failed = '', last = ''] = ended;
    expect(ids(await list('?state=failed'))).toEqual([failed]);
    expect(ids(await list('?state=cancelled'))).toEqual([]);
    const completed = await list('?state=completed&limit=1');
    expect(ids(completed)).toEqual([last]);
    const paged = await list(`?state=completed&limit=200&cursor=${completed.next_cursor}`);
    expect([ids(paged), paged.next_cursor]).toEqual([[first], null]);
  });

  test('can be asked for the outcome of turns, beside which the state of the request counts', async () => {
    const made: string[] = [];
    for (const prompt of ['well', '[[exit=3]] badly', 'well again', '[[exit=3]] badly again']) {
      const { request_id } = (await served.prompt(prompt)).body;
      await served.final(request_id);
      made.unshift(request_id);
    }
    await served.final((await served.interrupt()).body.request_id);
    const [badly, well, firstBadly, firstWell] = made;
    expect(ids(await list('?outcome=failed'))).toEqual([badly, firstBadly]);
    expect(ids(await list('?outcome=completed'))).toEqual([well, firstWell]);
    expect(ids(await list('?outcome=completed&state=failed'))).toEqual([]);
    expect(ids(await list('?outcome=failed&state=failed'))).toEqual([badly, firstBadly]);
    const first = await list('?outcome=failed&limit=1');
    const second = await list(`?outcome=failed&limit=1&cursor=${first.next_cursor}`);
    expect([ids(first), ids(second), second.next_cursor]).toEqual([[badly], [firstBadly], null]);
    expect((await served.ask('GET', '/v1/requests?outcome=late')).status).toBe(422);
  });

  test('holds no answer text; the request itself does', async () => {
    const { request_id } = (await served.prompt('answer me')).body;
    await served.final(request_id);
    const [listed] = (await list()).requests;
    expect(listed.turn).toMatchObject({ outcome: 'completed', answer: null });
    const record = await served.final(request_id);
    expect(record.turn.answer.text).toContain('answer me');
    expect(record.turn.artifacts.length).toBeGreaterThan(0);
    const usage = {
      model: expect.stringMatching(/./),
      scope: 'turn',
      amounts: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    };
    expect(record.turn).toMatchObject({ usage });
    expect(listed.turn).toMatchObject({ usage });
  });
});

describe('GET /v1/requests', () => {
  test.each([
    ['limit=0', 'greater_than_equal', 'limit'],
    ['limit=201', 'less_than_equal', 'limit'],
    ['limit=ten', 'int_parsing', 'limit'],
    ['limit=1.5', 'int_parsing', 'limit'],
    ['limit=', 'string_too_short', 'limit'],
    ['limit=Infinity', 'finite_number', 'limit'],
    ['limit=1e999', 'finite_number', 'limit'],
    ['limit=-Infinity', 'finite_number', 'limit'],
    ['limit=1&limit=2', 'int_type', 'limit'],
    ['state=waiting', 'literal_error', 'state'],
    ['cursor=nonsense', 'value_error', 'cursor'],
    ['cursor=a+b', 'value_error', 'cursor'],
    [`cursor=${'9'.repeat(65)}`, 'value_error', 'cursor'],
    ['cursor=0', 'value_error', 'cursor'],
    ['colour=blue', 'extra_forbidden', 'colour'],
    ['__proto__=1', 'extra_forbidden', '__proto__'],
    ['=1', 'extra_forbidden', ''],
  ])('with %s is 422', async (query, type, name) => {
    const { status, body } = await served.ask('GET', `/v1/requests?${query}`);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ type, loc: ['query', name] }]);
  });
});

test.each(['nonsense', 'a+b', 'a.b', 'ab='])('a cursor %j is refused as no cursor, once', async (cursor) => {
  const { body } = await served.ask('GET', `/v1/requests?cursor=${encodeURIComponent(cursor)}`);
  expect(body.detail.map(({ msg }: { msg: string }) => msg)).toEqual([
    'must be the next_cursor of an earlier page',
  ]);
});

describe('GET /v1/requests/{request_id}', () => {
  test('tells the place in the queue and what keeps it', async () => {
    const first = (await served.prompt('[[slow=60000]] first')).body.request_id;
    const second = (await served.prompt('second', { turn_id: 'second' })).body.request_id;
    const third = (await served.prompt('third')).body.request_id;
    const read = async (id: string) => (await served.ask('GET', `/v1/requests/${id}`)).body;
    await expect.poll(async () => (await read(first)).state).toBe('running');
    expect(await read(first)).toMatchObject({
      queue_position: null,
      waiting_reason: null,
      finished_at_utc: null,
    });
    const { turn } = await read(first);
    expect(turn).toMatchObject({ state: 'running', outcome: null, request_id: first });
    expect(await read(second)).toMatchObject({
      state: 'accepted',
      queue_position: 0,
      waiting_reason: { code: 'busy', detail: `Turn ${turn.turn_id} is running.` },
      turn: null,
      prompt_preview: 'second',
    });
    expect(await read(third)).toMatchObject({ queue_position: 1, waiting_reason: { code: 'behind' } });
    await served.interrupt();
    expect(await served.final(first)).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted' },
      turn: { outcome: 'interrupted' },
    });
    expect((await served.final(third)).state).toBe('completed');
    expect((await served.final(second)).turn.turn_id).toBe('second');
  });

  test('with wait_seconds answers at the end of the wait, and of what is final at once', async () => {
    const { request_id } = (await served.prompt('[[slow=60000]] waited for')).body;
    // An interrupt stops what runs, and nothing that only waits.
    await served.statusWhen(({ active_execution }) => active_execution === 'running');
    const asked = performance.now();
    const short = await served.ask('GET', `/v1/requests/${request_id}?wait_seconds=0.2`);
    // Timers may be early by some milliseconds, but not by half of the time.
    expect([short.body.state, performance.now() - asked >= 100]).toEqual(['running', true]);
    const waiting = served.ask('GET', `/v1/requests/${request_id}?wait_seconds=60`);
    await served.interrupt();
    expect((await waiting).body.state).toBe('failed');
    expect((await served.final(request_id)).state).toBe('failed');
  });

  test('previews the first 200 characters of a prompt and none of an interrupt', async () => {
    const { body } = await served.prompt('🙂'.repeat(300));
    expect((await served.final(body.request_id)).prompt_preview).toBe('🙂'.repeat(200));
    const interrupt = await served.interrupt();
    expect((await served.final(interrupt.body.request_id)).prompt_preview).toBeNull();
  });

  test.each(['gwreq-20260313-000000Z-deadbeef', '..%2F..%2Fetc', '%00', 'x'.repeat(4000)])(
    '%s is 404',
    async (id) => {
      const { status, body } = await served.ask('GET', `/v1/requests/${id}`);
      expect([status, typeof body.detail]).toEqual([404, 'string']);
      expect(body.detail.length).toBeLessThan(300);
    },
  );

  test.each(['-1', '61', 'soon', 'NaN', 'Infinity', '1e999'])(
    'with wait_seconds=%s is 422',
    async (seconds) => {
      const { status, body } = await served.ask('GET', `/v1/requests/x?wait_seconds=${seconds}`);
      expect([status, body.detail[0].loc]).toEqual([422, ['query', 'wait_seconds']]);
    },
  );
});

describe('DELETE /v1/requests/{request_id}', () => {
  test('takes a waiting request out, twice if one likes, and says so in an event', async () => {
    const running = (await served.prompt('[[slow=60000]] in the way')).body.request_id;
    const waiting = (await served.prompt('never')).body.request_id;
    const { status, body } = await served.ask('DELETE', `/v1/requests/${waiting}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      request_id: waiting,
      state: 'cancelled',
      started_at_utc: null,
      error: null,
      turn: null,
    });
    const again = await served.ask('DELETE', `/v1/requests/${waiting}`);
    expect([again.status, again.body]).toEqual([200, body]);
    const events = readEvents(served.session.paths).filter((event) => event.request_id === waiting);
    expect(events.map(({ kind }) => kind)).toEqual(['accepted', 'cancelled']);

    await expect
      .poll(async () => (await served.ask('GET', `/v1/requests/${running}`)).body.state)
      .toBe('running');
    const refused = await served.ask('DELETE', `/v1/requests/${running}`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('interrupt')]);
    await served.interrupt();
    await served.final(running);
  });

  test('of what has ended is 409, of what never was 404', async () => {
    const { body } = await served.prompt('quick');
    await served.final(body.request_id);
    const ended = await served.ask('DELETE', `/v1/requests/${body.request_id}`);
    expect([ended.status, ended.body.detail]).toEqual([409, expect.stringContaining('completed')]);
    expect((await served.ask('DELETE', '/v1/requests/unknown')).status).toBe(404);
  });
});

describe('a wait until a request has begun', () => {
  const served = serveEach();
  const begun = (requestId: string) =>
    served.ask('GET', `/v1/requests/${requestId}?wait_seconds=60&wait_until=started`);

  test('ends with the beginning of the turn, which is numbered, and not with its end', async () => {
    await served.final((await served.prompt('first')).body.request_id);
    await served.ask('PUT', '/v1/control/queue', { paused: true });
    const id = (await served.prompt('[[slow=60000]] second')).body.request_id;
    const waiting = begun(id);
    await served.ask('PUT', '/v1/control/queue', { paused: false });
    const { body } = await waiting;
    expect(body).toMatchObject({ state: 'running', turn: { state: 'running', turn_index: 2 } });
    expect((await begun(id)).body.state).toBe('running');
    const interrupt = await served.interrupt();
    expect(interrupt.body.turn_id).toBe(body.turn.turn_id);
    expect((await served.final(id)).turn).toMatchObject({ turn_index: 2, outcome: 'interrupted' });
    expect((await served.interrupt()).body.turn_id).toBeNull();
  });

  test('ends with a request that never begins', async () => {
    await served.ask('PUT', '/v1/control/queue', { paused: true });
    const id = (await served.prompt('never')).body.request_id;
    const waiting = begun(id);
    await served.ask('DELETE', `/v1/requests/${id}`);
    expect((await waiting).body).toMatchObject({ state: 'cancelled', turn: null });
  });
});

describe('a list of prompts of a megabyte each', () => {
  const served = serve();

  test('comes in shorter pages, and none is left out', async () => {
    await served.ask('PUT', '/v1/control/queue', { paused: true });
    const made: string[] = [];
    for (let index = 0; index < 20; index += 1)
      made.unshift((await served.prompt('x'.repeat(1_000_000))).body.request_id);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { requests: { request_id: string; prompt_preview: string }[]; next_cursor: string | null } =
        (await served.ask('GET', `/v1/requests?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`)).body;
      seen.push(...page.requests.map((one) => one.request_id));
      sizes.push(page.requests.length);
      expect(page.requests.every((one) => one.prompt_preview.length === 200)).toBe(true);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    // Two hundred of them once blocked all other callers for a second.
    expect(Math.max(...sizes)).toBeLessThan(12);
  });
});
