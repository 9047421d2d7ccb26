import { once } from 'node:events';
import { connect } from 'node:net';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createSurfaceServer,
  listen,
  type SurfaceRequest,
  type SurfaceResponse,
} from '../../../../src/http/server/server.js';
import { frontWalls, isServedHost } from '../../../../src/http/walls/walls.js';
import { raw, request } from '../../../contract/support/raw-http.js';
import { serveToys, toySurface } from '../../../support/toy-surface.js';

const friend = 'https://friend.example';
let toys: Awaited<ReturnType<typeof serveToys>>;
beforeAll(async () => {
  toys = await serveToys(undefined, {
    admitted: { hosts: new Set(['toys.example']), origins: new Set([friend]) },
  });
});
afterAll(() => toys.abandon());

const send = (headers: Record<string, string>, line = 'GET /health', body?: string) =>
  raw(toys.port, request(line, headers, body));
const reported = ({ status, json }: Awaited<ReturnType<typeof raw>>) => [status, json?.detail];
/** The headers that let a page read an answer, or send a request. */
const forPages = ({ headers }: Awaited<ReturnType<typeof raw>>) =>
  Object.fromEntries([...headers].filter(([name]) => /^(?:vary|access-control-.*)$/.test(name)));

describe('the framing', () => {
  const whole = 'HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const chunks = '\r\nf\r\n{"name":"bear"}\r\n0\r\n\r\n';

  test.each(['gzip, chunked', 'deflate, chunked'])(
    '%s is refused, and the connection ends',
    async (encoding) => {
      const answer = await raw(toys.port, `POST /toys ${whole}Transfer-Encoding: ${encoding}\r\n${chunks}`);
      expect(reported(answer)).toEqual([400, 'Transfer-Encoding is not read unless it is chunked alone.']);
      expect(answer.headers.get('connection')).toBe('close');
    },
  );
  test.each(['chunked', 'Chunked '])('%j is read', async (encoding) => {
    const answer = await raw(toys.port, `POST /toys ${whole}Transfer-Encoding: ${encoding}\r\n${chunks}`);
    expect([answer.status, answer.json.body]).toMatchObject([201, { name: 'bear' }]);
  });
});

describe('the host', () => {
  test.each([
    ['none', ''],
    ['two', 'Host: localhost\r\nHOST: localhost\r\n'],
    ['two, the second a stranger', 'Host: localhost\r\nhost: evil.example\r\n'],
  ])('is named once: %s is refused, and the connection ends', async (_how, hosts) => {
    const answer = await raw(toys.port, `GET /health HTTP/1.1\r\n${hosts}\r\n`);
    expect(reported(answer)).toEqual([400, 'A request has exactly one Host header.']);
    expect(answer.headers.get('connection')).toBe('close');
  });
  test('is named once, whatever other headers say of it', async () => {
    const answer = await send({
      'X-Forwarded-Host': 'evil.example',
      'X-Is': 'host',
      Hots: 'x',
      Host: 'localhost',
    });
    expect(answer.status).toBe(200);
  });
  test('of the older protocol may be missing, and then is not served', async () => {
    expect(reported(await raw(toys.port, 'GET /health HTTP/1.0\r\n\r\n'))).toEqual([
      421,
      'Host (none) is not served here; start the shop with --also-host to admit it.',
    ]);
    const older = 'GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n';
    expect((await raw(toys.port, older)).status).toBe(200);
  });
  test('that is a stranger is refused, with the flag that admits it; of a long one the beginning is shown', async () => {
    const long = `${'a'.repeat(300)}.example`;
    expect(reported(await send({ Host: long }))).toEqual([
      421,
      `Host ${'a'.repeat(200)} is not served here; start the shop with --also-host to admit it.`,
    ]);
  });
  test('that is missing is no name that could be admitted', () => {
    expect(isServedHost(undefined, new Set(['undefined', 'null', '']))).toBe(false);
  });
  test('that was admitted is served', async () => {
    expect((await send({ Host: 'Toys.Example:99' })).status).toBe(200);
  });
});

describe('the origin', () => {
  test('that is a stranger is refused, with the flag that admits it', async () => {
    const answer = await send({ Origin: 'https://evil.example' });
    expect(reported(answer)).toEqual([
      403,
      'Origin https://evil.example is not allowed; start the shop with --also-origin to admit it.',
    ]);
    expect(forPages(answer)).toEqual({});
  });
  test('of a page of its own needs no leave to read the answer', async () => {
    const answer = await send({ Origin: 'http://127.0.0.1' });
    expect([answer.status, forPages(answer)]).toEqual([200, {}]);
  });
  test('that was admitted may read the answer, with the headers that the surface names', async () => {
    const answer = await send({ Origin: friend });
    expect([answer.status, forPages(answer)]).toEqual([
      200,
      {
        'access-control-allow-origin': friend,
        'access-control-expose-headers': 'X-Request-Id, X-Houmao-Error-Code, Toy-Maker',
        vary: 'Origin',
      },
    ]);
  });
  test('that was admitted learns beforehand what it may send', async () => {
    const answer = await send({ Origin: friend }, 'OPTIONS /toys');
    expect([answer.status, answer.text, forPages(answer)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': friend,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, Range, Toy-Key',
        'access-control-max-age': '600',
        'access-control-expose-headers': 'X-Request-Id, X-Houmao-Error-Code, Toy-Maker',
        vary: 'Origin',
      },
    ]);
  });
  test.each([{}, { Origin: 'http://127.0.0.1' }])(
    'of %j learns nothing beforehand: no such operation is served',
    async (headers) => {
      expect((await send(headers as Record<string, string>, 'OPTIONS /toys')).status).not.toBe(204);
    },
  );
});

test('what the walls have answered themselves goes no further', async () => {
  const passes = frontWalls(
    toySurface.words,
    { hosts: new Set(), origins: new Set([friend]) },
    { sent: [], read: [] },
  );
  const passed: boolean[] = [];
  const app = express();
  const step = (incoming: SurfaceRequest, response: SurfaceResponse, _next: () => void): void => {
    const through = passes(incoming, response);
    passed.push(through);
    if (through) response.end('{}');
  };
  app.use(step as RequestHandler);
  const { server, messages } = createSurfaceServer(app);
  messages.adoptBy(app);
  const port = await listen(server, '127.0.0.1', 0);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  for (const [line, headers] of [
    ['GET /', { Host: 'evil.example' }],
    ['GET /', { Origin: 'https://evil.example' }],
    ['OPTIONS /', { Origin: friend }],
    ['GET /', { Origin: friend }],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write(request(line, { ...headers, Connection: 'close' }));
    await once(socket.resume(), 'close');
  }
  expect(passed).toEqual([false, false, false, true]);
});
