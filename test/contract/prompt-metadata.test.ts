// The labels of prompts: given beside the body, kept with the request or the turn, shown and filtered by.
import { describe, expect, test } from 'vitest';
import { serveEach } from './support/served.js';

const served = serveEach();
const prompt = (text: string) => ({ kind: 'submit_prompt', payload: { prompt: text } });
const labels = (metadata: unknown, key?: string) => ({
  'X-Houmao-Metadata': typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
});
const submit = (text: string, metadata: unknown, key?: string) =>
  served.ask('POST', '/v1/requests', prompt(text), labels(metadata, key));
const control = (body: object, headers: Record<string, string>) =>
  served.ask('POST', '/v1/control/prompt', { schema_version: 1, ...body }, headers);
const listed = async (query: string) => {
  const { status, body } = await served.ask('GET', `/v1/requests${query}`);
  expect(status).toBe(200);
  return body.requests as { request_id: string; metadata?: object; queue_position: number | null }[];
};
const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-houmao-error-code');
const pause = (paused: boolean) => served.ask('PUT', '/v1/control/queue', { paused });
const full = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [`${index}`.padStart(64, 'k'), 'v'.repeat(512)]),
);

describe('metadata of a queued prompt', () => {
  test('is shown by its request, its turn and the end of its stream, also after a restart', async () => {
    const metadata = { ticket: 'HOU-1', note: 'déjà 🙂' };
    const escaped = '{"ticket": "HOU-1", "note": "d\\u00e9j\\u00e0 \\ud83d\\ude42"}';
    const { status, body } = await submit('labelled', escaped);
    expect(status).toBe(202);
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({ metadata, turn: { outcome: 'completed', metadata } });
    await served.restart();
    expect((await served.ask('GET', `/v1/requests/${body.request_id}`)).body).toEqual(record);
    const turn = await served.ended(record.turn.turn_id);
    expect(turn.metadata).toEqual(metadata);
    const stream = `/v1/turns/${turn.turn_id}/stream`;
    const { next_after } = (await served.ask('GET', stream)).body;
    const { parts } = (await served.ask('GET', `${stream}?after=${next_after}`)).body;
    expect(parts).toMatchObject([{ kind: 'ended', data: { metadata } }]);
  });

  test('is left out where none came, and an empty one is none', async () => {
    const bare = await served.final((await served.prompt('bare')).body.request_id);
    const empty = await served.final((await submit('empty', {})).body.request_id);
    for (const record of [bare, empty])
      expect([record.state, 'metadata' in record, 'metadata' in record.turn]).toEqual([
        'completed',
        false,
        false,
      ]);
  });

  test('may be as large as the limits say', async () => {
    const { body } = await submit('full', full);
    expect((await served.final(body.request_id)).metadata).toEqual(full);
  });

  test.each([
    ['no JSON', 'ticket=HOU-1', 'value_error'],
    ['a number', '{"a":1}', 'value_error'],
    ['another alphabet', '{"a":"é"}', 'value_error'],
    ['17 entries', JSON.stringify({ ...full, more: '' }), 'value_error'],
    ['more than 12,000 characters', `{"a":"b"${' '.repeat(12_000)}}`, 'string_too_long'],
  ])('that is %s is a 422 at the header, and nothing is stored', async (_title, text, type) => {
    for (const [path, body] of [
      ['/v1/requests', prompt('never')],
      ['/v1/control/prompt', { schema_version: 1, prompt: 'never' }],
    ] as const) {
      const answer = await served.ask('POST', path, body, labels(text, 'k'));
      expect([answer.status, codeOf(answer)]).toEqual([422, 'validation_failed']);
      expect(answer.body.detail[0]).toMatchObject({ type, loc: ['header', 'x-houmao-metadata'] });
    }
    expect(await listed('')).toEqual([]);
    // The key is unused.
    expect((await submit('taken', { a: 'b' }, 'k')).status).toBe(202);
  });

  test('names the rule in its 422', async () => {
    const { body } = await submit('never', '{"a":1}');
    expect(body.detail[0].msg).toMatch(/^must be a JSON object of at most 16 strings in ASCII, such as /);
  });

  test('beside an interrupt is a 422, and nothing is stopped', async () => {
    const running = await control({ prompt: '[[slow=60000]] long' }, {});
    const turnId = running.headers.get('x-houmao-turn-id');
    const interrupt = { kind: 'interrupt', payload: {} };
    const refused = await served.ask('POST', '/v1/requests', interrupt, labels({ a: 'b' }));
    expect([refused.status, codeOf(refused)]).toEqual([422, 'request_refused']);
    expect((await served.ask('GET', `/v1/turns/${turnId}`)).body.state).toBe('running');
    expect(await listed('')).toEqual([]);
    expect((await served.ask('POST', '/v1/requests', interrupt, labels({}))).status).toBe(202);
    expect((await served.ended(turnId!)).outcome).toBe('interrupted');
  });

  test('belongs to what a key stands for', async () => {
    const first = await submit('once', { a: '1', b: '2' }, 'key');
    const again = await submit('once', '{"b":"2", "a":"1"}', 'key');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(again.body).toEqual(first.body);
    for (const other of [{ a: '1' }, {}, { a: '1', b: '3' }]) {
      const refused = await submit('once', other, 'key');
      expect([refused.status, codeOf(refused)]).toEqual([422, 'key_reused']);
    }
    expect((await served.final(first.body.request_id)).metadata).toEqual({ a: '1', b: '2' });
    expect(await listed('')).toHaveLength(1);
  });
});

test('metadata of a direct prompt is shown by its turn, and belongs to its key', async () => {
  const metadata = { ticket: 'HOU-2' };
  const first = await control({ prompt: 'now' }, labels(metadata, 'direct'));
  expect(first.status).toBe(200);
  const turnId = first.headers.get('x-houmao-turn-id')!;
  expect((await served.ended(turnId)).metadata).toEqual(metadata);
  const again = await control({ prompt: 'now' }, labels(metadata, 'direct'));
  expect([again.headers.get('idempotency-replayed'), again.headers.get('x-houmao-turn-id')]).toEqual([
    'true',
    turnId,
  ]);
  const other = await control({ prompt: 'now' }, labels({ ticket: 'HOU-3' }, 'direct'));
  expect([other.status, codeOf(other)]).toEqual([422, 'key_reused']);
  const unkeyed = await control({ prompt: 'again' }, labels({ ticket: 'HOU-4' }));
  await served.restart();
  expect((await served.ended(unkeyed.headers.get('x-houmao-turn-id')!)).metadata).toEqual({
    ticket: 'HOU-4',
  });
});

describe('a list that is filtered by metadata', () => {
  test('has the requests with all labels, page by page, in the places that they have in the queue', async () => {
    await pause(true);
    const ids: string[] = [];
    for (const [index, metadata] of [
      { team: 'a', n: '1' },
      {},
      { team: 'b', n: '1', why: 'two words' },
      { team: 'a', n: '1=2' },
      { team: 'a', n: '1' },
    ].entries())
      ids.push((await submit(`number ${index}`, metadata)).body.request_id);
    const found = async (query: string) =>
      (await listed(query)).map(({ request_id, queue_position }) => [
        ids.indexOf(request_id),
        queue_position,
      ]);
    const ofTeam = [4, 3, 0].map((at) => [at, at]);
    expect(await found('?metadata=team=a')).toEqual(ofTeam);
    expect(await found('?metadata=team%3Da&state=accepted')).toEqual(ofTeam);
    expect(await found('?metadata=n=1=2')).toEqual([[3, 3]]);
    for (const blank of ['+', '%20']) expect(await found(`?metadata=why=two${blank}words`)).toEqual([[2, 2]]);
    expect(await found('?metadata=team=a&metadata=n=1')).toEqual([
      [4, 4],
      [0, 0],
    ]);
    expect(await found('?metadata=team=a&metadata=team=b')).toEqual([]);
    expect(await found('?metadata=team=')).toEqual([]);
    expect(await found('?metadata=team=a&state=completed')).toEqual([]);
    const page = (await served.ask('GET', '/v1/requests?metadata=team=a&limit=2')).body;
    const rest = await found(`?metadata=team=a&limit=2&cursor=${page.next_cursor}`);
    expect(rest).toEqual([[0, 0]]);
    await pause(false);
    await served.idle();
    expect(await found('?metadata=team=a&outcome=completed')).toEqual([4, 3, 0].map((at) => [at, null]));
  });

  test.each([
    ['without a value', '?metadata=ticket'],
    ['without a key', '?metadata==x'],
    ['with another key than can be given', '?metadata=a%20b=x'],
  ])('by a label %s is a 422 that names the rule', async (_title, query) => {
    const answer = await served.ask('GET', `/v1/requests${query}`);
    expect([answer.status, codeOf(answer)]).toEqual([422, 'validation_failed']);
    expect(answer.body.detail[0]).toMatchObject({
      loc: ['query', 'metadata', 0],
      msg: 'must be key=value, such as ticket=HOU-1',
    });
  });

  test('by 17 labels is a 422', async () => {
    const query = Array.from({ length: 17 }, (_, index) => `metadata=k${index}=v`).join('&');
    const answer = await served.ask('GET', `/v1/requests?${query}`);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['query', 'metadata']]);
  });
});
