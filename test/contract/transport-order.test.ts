import { describe, expect, test } from 'vitest';
import { bundle, operations } from './support/bundle.js';
import { type RawAnswer, type RawOptions, raw, request } from './support/raw-http.js';
import { serve } from './support/served.js';

const origin = 'https://desk.example';
const served = serve(undefined, { flags: ['--allowed-origin', origin] });
const send = (text: string, options?: RawOptions) => raw(served.gateway.port, text, options);
const json = { 'Content-Type': 'application/json' };
const text = { 'Content-Type': 'text/plain' };
const foreign = { Authorization: 'Bearer nonsense' };

/** Which wall answers a request that breaks several rules at once. */
describe('of several rules that are broken', () => {
  test.each([
    [
      'the framing before the host',
      400,
      request('GET /health', { Host: 'evil.example', 'Transfer-Encoding': 'gzip, chunked' }),
    ],
    [
      'the host before the origin',
      421,
      request('GET /health', { Host: 'evil.example', Origin: 'https://evil.example' }),
    ],
    [
      'the origin before the caller',
      403,
      request('GET /health', { Origin: 'https://evil.example', ...foreign }),
    ],
    ['the caller before the path', 401, request('GET /nowhere', foreign)],
    ['the caller before the body', 401, request('POST /v1/requests', { ...text, ...foreign }, 'x')],
    ['the type of a body before the path parameter', 415, request('PUT /v1/reminders/%zz', text, 'x')],
    ['the JSON of a body before the path parameter', 422, request('PUT /v1/reminders/%zz', json, '{')],
    ['the path parameter before the fields of a body', 400, request('PUT /v1/reminders/%zz', json, '{}')],
    ['the type of a body before the query', 415, request('POST /v1/requests?x=1', text, 'x')],
    ['the path before the type of a body', 404, request('POST /nowhere', text, 'x')],
    ['the method before the type of a body', 405, request('DELETE /v1/control/prompt', text, 'x')],
    ['the method before the query', 405, request('PATCH /v1/requests?[]=1')],
  ])('%s is answered', async (_title, status, message) => {
    expect((await send(message)).status).toBe(status);
  });

  test.each(['PATCH', 'POST', 'OPTIONS', 'TRACE'])(
    'a parameter that cannot be decoded is 400 before %s is 405',
    async (method) => {
      const { status, json: answer } = await send(request(`${method} /v1/reminders/%zz`));
      expect([status, answer]).toEqual([400, { detail: 'Bad Request' }]);
    },
  );
});

test('Allow names the methods of every path from the last of the contract to the first, HEAD after GET', async () => {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const methods = Object.keys(bundle.paths[path])
      .filter((key) => /^(?:get|put|post|delete)$/.test(key))
      .reverse()
      .map((key) => (key === 'get' ? 'GET, HEAD' : key.toUpperCase()));
    const { status, headers } = await send(request(`TRACE ${path.replace(/\{[^}]+\}/g, 'x')}`));
    expect([path, status, headers.get('allow')]).toEqual([path, 405, methods.join(', ')]);
  }
});

describe('an answer', () => {
  const interrupt = '{"kind":"interrupt","payload":{}}';
  const exits: [status: number, message: string, options?: RawOptions][] = [
    [204, request('OPTIONS /v1/requests', { Origin: origin })],
    [204, request('OPTIONS /nowhere', { Origin: origin })],
    [200, request('GET /health')],
    [200, request('HEAD /health'), { head: true }],
    [200, request('GET /health', { Origin: origin })],
    [200, request('GET /openapi.json')],
    [304, request('GET /health', { 'If-None-Match': '*' })],
    [400, request('GET /health', { 'Transfer-Encoding': 'gzip, chunked' })],
    [400, 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    [400, request('GET /v1/requests/%zz')],
    [401, request('GET /health', foreign)],
    [403, request('GET /health', { Origin: 'https://evil.example' })],
    [404, request('GET /nowhere')],
    [404, request('GET /docs/nowhere')],
    [404, request('GET /v1/requests/x')],
    [405, request('PATCH /health')],
    [413, request('POST /v1/requests', { ...json, 'Content-Length': '9999999' })],
    [415, request('POST /v1/requests', text, 'x')],
    [417, request('GET /health', { Expect: '200-maybe' })],
    [421, request('GET /health', { Host: 'evil.example' })],
    [422, request('GET /v1/requests?x=1')],
    [422, request('POST /v1/requests', json, '{')],
    [422, request('POST /v1/requests', json, '{}')],
    [431, request('GET /health', { 'X-Long': 'a'.repeat(17_000) })],
    [202, request('POST /v1/requests', { ...json, Origin: origin }, interrupt)],
  ];

  test('of every kind has an id of its own, is not cached and not sniffed', async () => {
    const ids = new Set<string>();
    for (const [status, message, options] of exits) {
      const { headers, ...answer } = await send(message, options);
      expect([message, answer.status]).toEqual([message, status]);
      expect([message, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
        message,
        'no-store',
        'nosniff',
      ]);
      ids.add(headers.get('x-request-id') ?? '');
    }
    expect(ids.size).toBe(exits.length);
  });

  test('to an allowed origin says so, whatever it is', async () => {
    for (const message of [
      request('GET /health', { Origin: origin }),
      request('GET /nowhere', { Origin: origin }),
      request('PATCH /health', { Origin: origin }),
      request('GET /v1/requests?x=1', { Origin: origin }),
      request('POST /v1/requests', { Origin: origin, ...text }, 'x'),
      request('GET /openapi.json', { Origin: origin }),
    ]) {
      const { headers } = await send(message);
      expect([
        message,
        headers.get('access-control-allow-origin'),
        headers.get('vary')?.split(', ')[0],
      ]).toEqual([message, origin, 'Origin']);
    }
  });

  test('to a condition is 304 where it holds, and whole where it does not', async () => {
    const whole = async (message: string): Promise<RawAnswer> => send(message);
    for (const method of ['GET', 'HEAD']) {
      const { status, text: body } = await send(request(`${method} /health`, { 'If-None-Match': '*' }), {
        head: method === 'HEAD',
      });
      expect([method, status, body]).toEqual([method, 304, '']);
    }
    const asked: [number, string][] = [
      [200, request('GET /health', { 'If-None-Match': '"x"' })],
      [200, request('GET /health', { 'If-Modified-Since': 'Wed, 21 Oct 2099 07:28:00 GMT' })],
      [200, request('GET /health', { 'If-None-Match': '*', 'Cache-Control': 'no-cache' })],
      [404, request('GET /v1/requests/x', { 'If-None-Match': '*' })],
      [202, request('POST /v1/requests', { ...json, 'If-None-Match': '*' }, interrupt)],
    ];
    for (const [status, message] of asked)
      expect([message, (await whole(message)).status]).toEqual([message, status]);
  });
});
