import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { expectClean } from './support/clean-answer.js';
import { raw, request, submission } from './support/raw-http.js';
import { serve } from './support/served.js';

const served = serve();
const interrupt = '{"kind":"interrupt","payload":{}}';
const healthy = async (): Promise<void> => {
  expect((await raw(served.gateway.port, request('GET /health'))).json.status).toBe('ok');
};

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
async function connected(bytes: string): Promise<Socket> {
  const socket = connect(served.gateway.port, '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Statuses and bodies of the answers on one connection, in their order. */
async function answers(socket: Socket, count: number): Promise<{ status: number; text: string }[]> {
  const seen: { status: number; text: string }[] = [];
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk as Buffer]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      const head = received.subarray(0, end).toString('latin1');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end < 0 || received.length < end + 4 + length) break;
      const text = received.subarray(end + 4, end + 4 + length).toString('utf8');
      expectClean(text);
      seen.push({ status: Number(head.split(' ')[1]), text });
      received = received.subarray(end + 4 + length);
    }
    if (seen.length >= count) break;
  }
  expect(received.length).toBe(0);
  return seen;
}

describe('two hundred connections that were opened and left', () => {
  test.each([
    ['before a byte', ''],
    ['in the first line', 'POST /v1/requ'],
    ['in the header', 'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Ty'],
    ['in the body', submission(interrupt).slice(0, -10)],
    [
      'in a chunk',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n{"kind"',
    ],
  ])('%s keep nobody from being served', async (_title, bytes) => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(bytes)));
    for (let times = 0; times < 20; times += 1) await healthy();
    expect((await raw(served.gateway.port, submission(interrupt))).status).toBe(202);
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  });

  test('are served once the rest comes', async () => {
    const whole = submission(interrupt);
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(whole.slice(0, -5))));
    await healthy();
    const last = sockets[199];
    last?.write(whole.slice(-5));
    expect(last && (await answers(last, 1))[0]?.status).toBe(202);
  });
});

describe('a thousand requests on one connection, sent at once', () => {
  test('are answered one by one and in order, whatever stands between', async () => {
    const kinds: [bytes: string, status: number][] = [
      [request('GET /health'), 200],
      [submission('{"kind":"interrupt"'), 422],
      [request('GET /nowhere'), 404],
      [submission(interrupt), 202],
      [request('PATCH /health'), 405],
      [request('POST /v1/requests', { 'Content-Type': 'text/plain' }, 'x'), 415],
      [request('GET /health', { Host: 'evil.example' }), 421],
      [submission('[1,2,3]'), 422],
    ];
    const sent = Array.from({ length: 1000 }, (_, index) => kinds[index % kinds.length] as [string, number]);
    const socket = await connected(sent.map(([bytes]) => bytes).join(''));
    const seen = await answers(socket, 1000);
    expect(seen.map(({ status }) => status)).toEqual(sent.map(([, status]) => status));
    await healthy();
  });

  test('end at the first whose length is in doubt', async () => {
    const doubtful =
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n';
    const health = request('GET /health');
    const socket = await connected(`${health.repeat(10)}${doubtful}${health.repeat(989)}`);
    const seen = await answers(socket, 1000);
    expect(seen.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 400]);
  });
});

test('five hundred content types, each another, are distinguished by what they are', async () => {
  const sent = Array.from({ length: 500 }, (_, index): [bytes: string, status: number][] => [
    [submission('{}', { 'Content-Type': `application/json; new${index}=x` }), 422],
    [submission('{}', { 'Content-Type': `application/new${index}` }), 415],
  ]).flat();
  // On one connection: a thousand of them would be most of the work.
  const socket = await connected(sent.map(([bytes]) => bytes).join(''));
  const seen = await answers(socket, sent.length);
  expect(seen.map(({ status }) => status)).toEqual(sent.map(([, status]) => status));
});
