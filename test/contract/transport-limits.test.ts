import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBody } from '../../src/http/body/read-body.js';
import { createSurfaceServer, type ServerLimits } from '../../src/http/server/server.js';
import { acceptedIn } from './support/events.js';
import { raw, request, submission } from './support/raw-http.js';
import { serve } from './support/served.js';

const served = serve();
const send = (text: string, options?: { end?: boolean }) => raw(served.gateway.port, text, options);
const interrupt = '{"kind":"interrupt","payload":{}}';
const host = 'Host: 127.0.0.1\r\n';

describe('a header', () => {
  test('of 15 KiB is read, one of 17 KiB is 431', async () => {
    expect((await send(request('GET /health', { 'X-Long': 'a'.repeat(15_000) }))).status).toBe(200);
    for (const text of [
      request('GET /health', { 'X-Long': 'a'.repeat(17_000) }),
      request(`GET /health?x=${'a'.repeat(17_000)}`),
      request(
        'GET /health',
        Object.fromEntries(Array.from({ length: 1700 }, (_, index) => [`X-${index}`, '12345'])),
      ),
    ]) {
      const { status, json, closed } = await send(text);
      expect([status, json.detail, closed]).toEqual([431, 'Request Header Fields Too Large', true]);
    }
  });

  test.each([
    ['a name with a blank', `GET /health HTTP/1.1\r\n${host}Bad Name: x\r\n\r\n`],
    ['a folded line', `GET /health HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`],
    ['no colon', `GET /health HTTP/1.1\r\n${host}X\r\n\r\n`],
    ['a NUL', `GET /health HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`],
    ['line feeds alone', 'GET /health HTTP/1.1\nHost: 127.0.0.1\n\n'],
    ['another protocol', `GET /health HTTP/9.9\r\n${host}\r\n`],
    ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a second HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('with %s is 400 and the end of the connection', async (_title, text) => {
    const { status, closed } = await send(text);
    expect([status, closed]).toEqual([400, true]);
  });

  test('that expects something odd is 417', async () => {
    const { status, closed } = await send(request('GET /health', { Expect: '200-maybe' }));
    expect([status, closed]).toEqual([417, true]);
  });
});

describe('a body whose end is in doubt', () => {
  const framed = (lines: string, body = '') =>
    `POST /v1/requests HTTP/1.1\r\n${host}Content-Type: application/json\r\n${lines}\r\n${body}`;
  const length = `Content-Length: ${interrupt.length}\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const chunks = `${interrupt.length.toString(16)}\r\n${interrupt}\r\n0\r\n\r\n`;

  test.each([
    ['a length and chunks', framed(length + chunked, chunks)],
    ['chunks and a length', framed(chunked + length, chunks)],
    ['two lengths', framed(`Content-Length: 5\r\n${length}`, interrupt)],
    ['the same length twice', framed(length + length, interrupt)],
    ['a length with a list', framed('Content-Length: 33, 33\r\n', interrupt)],
    ['a length below zero', framed('Content-Length: -1\r\n')],
    ['a length in hex', framed('Content-Length: 0x21\r\n', interrupt)],
    ['a length with a sign', framed(`Content-Length: +${interrupt.length}\r\n`, interrupt)],
    ['a length beyond all bounds', framed('Content-Length: 99999999999999999999\r\n')],
    ['no length in the header', framed('Content-Length:\r\n')],
    ['an encoding after chunks', framed('Transfer-Encoding: chunked, gzip\r\n', chunks)],
    ['another encoding', framed('Transfer-Encoding: gzip\r\n', interrupt)],
    ['chunked spelled wrong', framed('Transfer-Encoding: xchunked\r\n', chunks)],
    ['a blank before the colon', framed('Transfer-Encoding : chunked\r\n', chunks)],
    ['identity before chunks', framed('Transfer-Encoding: identity, chunked\r\n', chunks)],
    ['chunks twice', framed('Transfer-Encoding: chunked, chunked\r\n', chunks)],
    ['two headers of encodings', framed(`Transfer-Encoding: gzip\r\n${chunked}`, chunks)],
    ['an encoding on a folded line', framed('Transfer-Encoding:\r\n chunked\r\n', chunks)],
    ['an encoding behind a tab of its own', framed('Transfer-Encoding\t: chunked\r\n', chunks)],
    ['a length and an encoding in capitals', framed(`${length}TRANSFER-ENCODING: CHUNKED\r\n`, chunks)],
    [
      'a length hidden behind a bare carriage return',
      framed(`X: a\rContent-Length: 5\r\n${length}`, interrupt),
    ],
    ['a chunk size below zero', framed(chunked, '-1\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size beyond all bounds', framed(chunked, 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size in 0x', framed(chunked, '0x2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk that ends with a line feed alone', framed(chunked, '2\n{}\n0\n\n')],
    ['a chunk size that is none', framed(chunked, 'zz\r\n{}\r\n0\r\n\r\n')],
    ['a chunk that overruns its size', framed(chunked, '2\r\n{}xx\r\n0\r\n\r\n')],
  ])('(%s) is 400 and the end of the connection', async (_title, text) => {
    const { status, closed } = await send(text);
    expect([status, closed]).toEqual([400, true]);
  });

  test('because the caller stopped is 400, and nothing was stored', async () => {
    const { status } = await send(framed('Content-Length: 100\r\n', interrupt), { end: true });
    expect(status).toBe(400);
    expect(acceptedIn(served.session.paths)).toEqual([]);
  });

  test('with megabytes of chunk extensions or trailers is refused and not kept', async () => {
    const chunk = (extension: string) => framed(chunked, `2;${extension}\r\n{}\r\n0\r\n\r\n`);
    expect((await send(chunk('a=b'))).status).toBe(422);
    for (const [text, expected] of [
      [chunk('a'.repeat(1_000_000)), 413],
      [chunk(';a=b'.repeat(100_000)), 413],
      [framed(chunked, `2\r\n{}\r\n0\r\nX: ${'a'.repeat(1_000_000)}\r\n\r\n`), 431],
    ] as const) {
      const { status, closed } = await send(text);
      expect([status, closed]).toEqual([expected, true]);
    }
    expect((await send(request('GET /health'))).status).toBe(200);
  });

  test('does not smuggle a second request behind the first', async () => {
    const hidden = submission(interrupt);
    expect(
      (await send(framed(`Content-Length: ${hidden.length}\r\n${chunked}`, `0\r\n\r\n${hidden}`))).status,
    ).toBe(400);
    expect(
      (await send(request('GET /health', { 'Content-Length': String(hidden.length) }, hidden))).status,
    ).toBe(200);
    expect(acceptedIn(served.session.paths)).toEqual([]);
  });
});

/** A server that only reads bodies, under these limits. */
function reading(limits: ServerLimits) {
  const bodies: unknown[] = [];
  const state: { server?: Server } = {};
  beforeAll(async () => {
    const bound = createSurfaceServer((incoming, response) => {
      readBody(incoming, { bytes: 1000, values: 10, depth: 2 }, (body) => {
        bodies.push(body);
        response.end();
      });
    }, limits);
    state.server = bound.server.listen(0, '127.0.0.1');
    await once(state.server, 'listening');
  });
  afterAll(() => {
    state.server?.close();
    state.server?.closeAllConnections();
  });
  return { bodies, port: () => (state.server!.address() as AddressInfo).port };
}
const small = {
  headerBytes: 1024,
  headerMilliseconds: 60_000,
  arrivalMilliseconds: 60_000,
  checkMilliseconds: 10,
};

describe('a slow request', () => {
  const { port: portOfHeaders } = reading({ ...small, headerMilliseconds: 40, arrivalMilliseconds: 80 });
  // The header of a request has a second to come, as has its body.
  const { bodies, port } = reading({ ...small, headerMilliseconds: 1000, arrivalMilliseconds: 1000 });

  test('in its header is 408', async () => {
    const { status, json, closed } = await raw(portOfHeaders(), 'GET /health HTTP/1.1\r\nHost: 127.0');
    expect([status, json.detail, closed]).toEqual([408, 'Request Timeout', true]);
  });

  test('in its body is 408, and the reading of the body ends', async () => {
    const text = `POST /health HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\nonly this`;
    const { status, json, closed } = await raw(port(), text);
    expect([status, json.detail, closed]).toEqual([408, 'Request Timeout', true]);
    await expect.poll(() => bodies).toEqual(['gone']);
  });
});

describe('a header beyond the limit of its server', () => {
  const { port } = reading(small);

  test('is 431', async () => {
    expect((await raw(port(), request('GET /', { X: 'a'.repeat(2000) }))).status).toBe(431);
  });
});
