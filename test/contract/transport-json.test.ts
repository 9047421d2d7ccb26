import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { readEvents } from './support/events.js';
import { type RawOptions, raw, request, submission } from './support/raw-http.js';
import { serve } from './support/served.js';

const served = serve();
const send = (bytes: string | Buffer, options?: RawOptions) => raw(served.gateway.port, bytes, options);
const mebibyte = 1024 * 1024;

describe('a body that is no JSON', () => {
  test.each([
    ['{"kind":', 8, 'Unexpected end'],
    ['{"kind":"interrupt"', 19, 'Unexpected end'],
    ['{"kind":x}', 8, 'Not JSON at character 8'],
    ['kind', 0, 'Not JSON at character 0'],
    ["{'kind':1}", 1, 'Not JSON at character 1'],
    ['{"a":1,}', 7, 'Not JSON at character 7'],
    ['[1,2', 4, 'Unexpected end'],
    ['{} {}', 3, 'Not JSON at character 3'],
    ['{"é🙂":NaN}', 7, 'Not JSON at character 7'],
    ['{"a":01}', 6, 'Not JSON at character 6'],
    ['"\t"', 1, 'Not JSON at character 1'],
    ['"\\x"', 1, 'Not JSON at character 1'],
    ['   ', 3, 'Unexpected end'],
  ])('%j is 422 and says where', async (text, offset, reason) => {
    const { status, json } = await send(submission(text));
    expect(status).toBe(422);
    expect(json.detail).toEqual([
      {
        type: 'json_invalid',
        loc: ['body', offset],
        msg: expect.stringContaining(reason),
        input: {},
        ctx: { error: expect.stringContaining(reason) },
      },
    ]);
  });

  test('is 422 when its bytes are not UTF-8, and nothing is stored under another spelling', async () => {
    const body = Buffer.from('{"kind":"submit_prompt","payload":{"prompt":"caf\xe9"}}', 'latin1');
    const head = request('POST /v1/requests', {
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    });
    const { status, json } = await send(Buffer.concat([Buffer.from(head), body]));
    expect([status, json.detail[0]]).toEqual([
      422,
      expect.objectContaining({ type: 'json_invalid', loc: ['body', 48] }),
    ]);
  });

  test.each([
    ['nothing', ''],
    ['null', 'null'],
  ])('%s is a missing body', async (_title, text) => {
    const { status, json } = await send(
      request(
        'POST /v1/requests',
        { 'Content-Type': 'application/json', 'Content-Length': String(text.length) },
        text,
      ),
    );
    expect([status, json.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ]);
  });

  test('an unannounced one is a missing body too', async () => {
    const { json } = await send(request('POST /v1/requests', { 'Content-Type': 'application/json' }));
    expect(json.detail).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
  });

  test.each(['"text"', '3', 'true', '[]', '[{}]'])('%s is JSON, but no object', async (text) => {
    for (const path of ['/v1/requests', '/v1/control/prompt']) {
      const { status, json } = await send(
        request(`POST ${path}`, { 'Content-Type': 'application/json' }, text),
      );
      expect(status).toBe(422);
      expect(json.detail).toEqual([
        {
          type: 'model_attributes_type',
          loc: ['body'],
          msg: expect.stringMatching(/^Input should be an object with '\w+'/),
          input: JSON.parse(text),
        },
      ]);
    }
  });
});

describe('a body that plays tricks', () => {
  // No body of these leads to a prompt.
  afterEach(() => {
    const accepted = readEvents(served.session.paths).filter(({ kind }) => kind === 'accepted');
    expect(accepted.filter((event) => event.request_kind !== 'interrupt')).toEqual([]);
  });

  const withExtra = (extra: string) => send(submission(`{"kind":"interrupt","payload":{},${extra}}`));

  test.each([
    ['__proto__', '"__proto__":{"kind":"submit_prompt"}'],
    ['constructor', '"constructor":{"prototype":{"x":1}}'],
    ['toString', '"toString":1'],
    ['', '"":1'],
    ['a/b~c', '"a/b~c":1'],
    ['0', '"0":1'],
  ])('with the key %j is an unknown field like any other', async (key, extra) => {
    const { status, json } = await withExtra(extra);
    expect([status, json.detail]).toEqual([
      422,
      [expect.objectContaining({ type: 'extra_forbidden', loc: ['body', key] })],
    ]);
  });

  test.each([
    ['a NUL', '\\u0000'],
    ['a lone high surrogate', 'x\\ud83d'],
    ['a lone low surrogate', '\\uDE42x'],
    ['surrogates the wrong way round', '\\ude42\\ud83d'],
  ])('with %s in a text for the agent is 422 and names the rule', async (_title, escaped) => {
    for (const [path, field] of [
      ['/v1/control/prompt', 'prompt'],
      ['/v1/control/send-keys', 'sequence'],
    ]) {
      const { status, json } = await send(
        request(`POST ${path}`, { 'Content-Type': 'application/json' }, `{"${field}":"a${escaped}"}`),
      );
      expect([path, status, json.detail]).toEqual([
        path,
        422,
        [
          expect.objectContaining({
            loc: ['body', field],
            msg: 'must be well-formed Unicode without NUL',
          }),
        ],
      ]);
    }
  });

  test('with escape characters and marks of direction is text like any other', async () => {
    const text = '\u001b[2J\u001b]0;title\u0007\u202e\u2066\ufeff\u007f\u0085';
    const { json } = await withExtra(`"x":${JSON.stringify(text)}`);
    expect(json.detail[0].input).toBe(text);
  });

  test('with a member twice means the last, for who checks it and for who stores it', async () => {
    const bad = await send(submission('{"kind":"interrupt","payload":{},"payload":{"x":1}}'));
    expect([bad.status, bad.json.detail[0].loc]).toEqual([422, ['body', 'payload', 'x']]);
    const good = await send(
      submission('{"kind":"submit_prompt","payload":{"x":1},"kind":"interrupt","payload":{}}'),
    );
    expect([good.status, good.json.request_kind]).toEqual([202, 'interrupt']);
  });

  test('with a bomb of 200 megabytes packed into it is 415, and is not unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(200 * mebibyte), { level: 1 }).subarray(0, mebibyte);
    const head = request('POST /v1/requests', {
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
      'Content-Length': String(packed.length),
    });
    const { status } = await send(Buffer.concat([Buffer.from(head), packed]));
    expect(status).toBe(415);
    expect((await send(request('GET /health'))).status).toBe(200);
  });

  test('with a key of a megabyte is not sent back', async () => {
    const { status, text } = await withExtra(`"${'k'.repeat(1_000_000)}":1`);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(1000);
    const kind = await send(submission(`{"kind":"${'k'.repeat(1_000_000)}","payload":{}}`));
    expect([kind.status, kind.json.detail[0].type]).toEqual([422, 'union_tag_invalid']);
    expect(kind.text.length).toBeLessThan(2000);
  });

  test('with 40 faults lists 32 of them', async () => {
    const { json } = await withExtra(Array.from({ length: 40 }, (_, index) => `"k${index}":1`).join());
    expect(json.detail).toHaveLength(32);
  });

  test('with thousands of faults is answered all the same', async () => {
    const faults = (count: number) =>
      withExtra(Array.from({ length: count }, (_, index) => `"${index}":1`).join());
    const some = await faults(4990);
    expect([some.status, some.json.detail.length]).toEqual([422, 32]);
    const many = await faults(80_000);
    expect([many.status, many.json.detail]).toEqual([413, 'The body has more than 5000 values.']);
  });

  test.each([
    ['empty objects', '{},'],
    ['empty lists', '[],'],
    ['numbers', '1,'],
    ['texts', '"",'],
    ['commas', ','],
  ])('of sixteen megabytes of %s is 413 before anything looks at them', async (_title, unit) => {
    // Sixteen megabytes of unknown fields once took twelve seconds and more than a gigabyte.
    const body = `{"to":[${unit.repeat(16_000_000 / unit.length)}1]}`;
    const { status, json } = await send(
      request('POST /v1/mail/send', { 'Content-Type': 'application/json' }, body),
    );
    expect([status, json.detail]).toEqual([413, 'The body has more than 5000 values.']);
    expect((await send(request('GET /health'))).status).toBe(200);
  });

  test('has its values cut to 256 characters, never in the middle of one', async () => {
    const { json } = await withExtra(`"text":"${'🙂'.repeat(300)}","list":[${'1,'.repeat(300)}1]`);
    const [text, list] = json.detail.map((item: { input: unknown }) => item.input);
    expect(text).toBe(`${'🙂'.repeat(255)}…`);
    expect([typeof list, [...list].length]).toEqual(['string', 256]);
  });

  test('with numbers beyond all bounds is 422', async () => {
    const level = (number: string) =>
      send(
        submission(
          `{"kind":"submit_prompt","payload":{"prompt":"x","execution":{"model":{"reasoning":{"level":${number}}}}}}`,
        ),
      );
    for (const number of ['1e400', '-1e400']) {
      const { status, json } = await level(number);
      expect([number, status, json.detail[0].type]).toEqual([number, 422, 'int_type']);
    }
    const interval = await send(
      request('PUT /v1/mail-notifier', { 'Content-Type': 'application/json' }, '{"interval_seconds":1e400}'),
    );
    expect(interval.status).toBe(422);
  });

  test('nested 100,000 levels deep is 422, open or closed, of lists or objects', async () => {
    const depth = 100_000;
    const lists = '['.repeat(depth);
    const objects = '{"a":'.repeat(depth);
    for (const text of [
      lists,
      objects,
      `${lists}${']'.repeat(depth)}`,
      `${objects}1${'}'.repeat(depth)}`,
      `{"kind":"interrupt","payload":{},"x":${lists}${']'.repeat(depth)}}`,
    ]) {
      const { status, json } = await send(submission(text));
      expect([status, json.detail]).toEqual([
        422,
        [
          {
            type: 'json_invalid',
            loc: ['body'],
            msg: 'Nested deeper than 64 levels',
            input: {},
            ctx: { error: 'Nested deeper than 64 levels' },
          },
        ],
      ]);
    }
    const deepest = await withExtra(`"x":${'['.repeat(63)}${']'.repeat(63)}`);
    expect([deepest.status, deepest.json.detail[0].loc]).toEqual([422, ['body', 'x']]);
  });
});
