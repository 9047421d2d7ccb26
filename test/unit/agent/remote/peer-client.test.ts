import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { askPeer, type PeerFault } from '../../../../src/agent/remote/peer-client.js';
import { peer } from '../../../support/peer.js';
import { tlsIdentity } from '../../../support/tls-identity.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of bytes. */
async function listen(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onRequest(socket));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (base: string, timeoutMs = 5000) =>
  askPeer({ base, method: 'POST', path: '/x', body: {}, timeoutMs }, Type.Object({ n: Type.Integer() }));
const faultOf = (promise: Promise<unknown>): Promise<PeerFault> =>
  promise.then(
    () => Promise.reject(new Error('it answered')),
    (error: PeerFault) => error,
  );
const say = (text: string) => (socket: Socket) => socket.end(text);
const json = (status: string, body: string) =>
  say(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

test('returns an answer of the shape asked for, with what else is in it', async () => {
  expect(await ask(await listen(json('200 OK', '{"n":1,"more":true}')))).toEqual({ n: 1, more: true });
});

test.each<[string, (socket: Socket) => void, PeerFault['trouble'], RegExp]>([
  ['no HTTP', say('SSH-2.0-nothing here\r\n'), 'invalid_answer', /did not answer with HTTP/],
  ['no JSON', json('200 OK', '<html>'), 'invalid_answer', /is not JSON/],
  ['another shape', json('200 OK', '{"n":"1"}'), 'invalid_answer', /field \/n/],
  [
    'a refusal',
    json('409 Conflict', '{"detail":"busy \\u001b[31m"}'),
    'refused',
    /answered 409: busy \ufffd\[31m/,
  ],
  ['a refusal without words', json('404 Not Found', '<html>'), 'refused', /answered 404\./],
  ['a fault of its own', json('502 Bad Gateway', '<html>'), 'failed', /answered 502\./],
  ['a server that is not ready', json('503 Service Unavailable', '{}'), 'refused', /answered 503\./],
  ['a redirection', json('302 Found', ''), 'refused', /answered 302/],
  ['nothing, and hangs up', (socket) => socket.destroy(), 'lost', /ended the connection/],
  [
    'half an answer',
    say('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"n"'),
    'lost',
    /ended the connection/,
  ],
  // Its time passes when the request is there.
  ['nothing at all', () => vi.advanceTimersByTime(200), 'silent', /no answer within 0\.2 s/],
  [
    'an answer without an end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
      const more = (): void => void (socket.writable && socket.write(chunk, more));
      more();
    },
    'invalid_answer',
    /more than 16 MiB/,
  ],
])('names the trouble with a server that sends %s', async (_what, onRequest, trouble, words) => {
  const base = await listen(onRequest);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const fault = await faultOf(ask(base, 200));
  expect([fault.trouble, fault.message]).toEqual([trouble, expect.stringMatching(words)]);
  expect(fault.outcomeUnknown).toBe(trouble !== 'refused');
});

test.each(['http://127.0.0.1:9', 'nowhere', 'ftp://127.0.0.1', 'http://127.0.0.1:1'])(
  'sends nothing to %s',
  async (base) => {
    const fault = await faultOf(ask(base));
    expect([fault.trouble, fault.outcomeUnknown]).toEqual(['unreachable', false]);
  },
);

test('does not repeat what an address carries beside host and port', async () => {
  const fault = await faultOf(ask('http://user:secret@127.0.0.1:9/path?key=1'));
  expect(fault.message).toContain('127.0.0.1:9 ');
  expect(fault.message).not.toMatch(/secret|path|key/);
});

test('sends the credentials of an address, and makes a new connection for each call', async () => {
  const seen: (string | undefined)[] = [];
  const { port, connections } = await peer((request, response) => {
    seen.push(request.headers.authorization, request.url);
    response.end('{"n":1}');
  });
  for (let count = 0; count < 2; count += 1) await ask(`http://us%20er:p%2Fw@127.0.0.1:${port}/below/`);
  const credentials = `Basic ${Buffer.from('us er:p/w').toString('base64')}`;
  expect(seen).toEqual([credentials, '/below/x', credentials, '/below/x']);
  expect(connections()).toBe(2);
});

test('speaks TLS, and sends nothing to a server that it does not trust', async () => {
  const received: string[] = [];
  const server = createHttpsServer(await tlsIdentity('127.0.0.1'), (request, response) => {
    received.push(request.url ?? '');
    response.end('{"n":1}');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fault = await faultOf(ask(base));
  expect([fault.trouble, fault.message]).toEqual(['unreachable', expect.stringMatching(/SELF_SIGNED/)]);
  expect(received).toEqual([]);
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await ask(base)).toEqual({ n: 1 });
});

test('uses no proxy', async () => {
  const proxy = await peer();
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('NO_PROXY', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await ask(await listen(json('200 OK', '{"n":1}')))).toEqual({ n: 1 });
  expect(proxy.connections()).toBe(0);
});

test('a caller that goes away counts as a lost answer', async () => {
  const { port, next } = await peer();
  const caller = new AbortController();
  const call = { base: `http://127.0.0.1:${port}`, method: 'POST', path: '/x', timeoutMs: null } as const;
  const fault = faultOf(askPeer({ ...call, signal: caller.signal }, Type.Object({})));
  await next();
  caller.abort();
  expect([(await fault).trouble, (await fault).outcomeUnknown]).toEqual(['lost', true]);
});
