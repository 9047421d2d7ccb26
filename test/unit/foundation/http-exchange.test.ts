import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ExchangeFault } from '../../../src/foundation/exchange-fault.js';
import { type HttpCall, HttpConnections } from '../../../src/foundation/http-exchange.js';
import { peer } from '../../support/peer.js';

afterEach(() => vi.unstubAllEnvs());

function connections(obeysProxyVariables = false, keepsConnections = true): HttpConnections {
  const made = new HttpConnections(obeysProxyVariables, { keepsConnections });
  onTestFinished(() => made.close());
  return made;
}

const get = (port: number, more: Partial<HttpCall> = {}): HttpCall => ({
  origin: `http://127.0.0.1:${port}`,
  method: 'GET',
  path: '/x',
  headers: {},
  body: null,
  milliseconds: 10_000,
  signal: null,
  longestAnswer: 1000,
  ...more,
});

/** From now on no time of a call passes in this test unless it says so. */
function ownTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const closing = ({ socket }: IncomingMessage) => new Promise((resolve) => socket.once('close', resolve));

const troubleOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error) => (error instanceof ExchangeFault ? [error.trouble, error.outcomeUnknown] : error),
  );

test('status, headers and body come back as they were sent', async () => {
  const seen: unknown[] = [];
  const { port } = await peer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push([method, url, headers['idempotency-key'], Buffer.concat(chunks).toString()]);
      response.writeHead(409, { 'X-Houmao-Turn-Id': 'turn-1' });
      response.write('{"detail":');
      response.end('"grün"}');
    });
  });
  const answer = await connections().exchange(
    get(port, {
      method: 'POST',
      path: '/v1/requests?a=b',
      body: '{"prompt":"ü"}',
      headers: { 'Idempotency-Key': 'k' },
    }),
  );
  expect(answer).toMatchObject({ status: 409, text: '{"detail":"grün"}' });
  expect(answer.headers['x-houmao-turn-id']).toBe('turn-1');
  expect(seen).toEqual([['POST', '/v1/requests?a=b', 'k', '{"prompt":"ü"}']]);
});

test('calls that follow one another share connections', async () => {
  const { port, connections: taken } = await peer((_, response) => response.end('{}'));
  const pool = connections();
  for (let round = 0; round < 10; round += 1) {
    await pool.exchange(get(port));
    // Without it, the next call may come before undici has seen that this one is over.
    await nextTurn();
  }
  expect(taken()).toBe(1);
});

test('where nobody listens nothing was sent', async () => {
  // Port 1 takes no connection on any machine that these tests run on.
  expect(await troubleOf(connections().exchange(get(1)))).toEqual(['unreachable', false]);
});

test('a connection that ends before the answer leaves open what was done', async () => {
  const { port } = await peer((_, response) => response.destroy());
  expect(await troubleOf(connections().exchange(get(port, { method: 'POST' })))).toEqual(['lost', true]);
});

test('an answer that breaks off in its middle is none', async () => {
  const { port } = await peer((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{"half":');
    response.socket?.end();
  });
  expect(await troubleOf(connections().exchange(get(port)))).toEqual(['lost', true]);
});

test.each([
  [1000, 'none'],
  [1001, ['invalid_answer', true]],
])('an answer of %i bytes, where its call reads 1000, has the trouble %j', async (bytes, trouble) => {
  const { port } = await peer((_, response) => response.end('x'.repeat(bytes)));
  expect(await troubleOf(connections().exchange(get(port)))).toEqual(trouble);
});

test('what does not speak HTTP gives no answer that can be used', async () => {
  const { port } = await peer((_, response) => response.socket?.end('SSH-2.0-nothing here\r\n'));
  expect(await troubleOf(connections().exchange(get(port)))).toEqual(['invalid_answer', true]);
});

test('connections that are not kept are made for each call', async () => {
  const { port, connections: taken } = await peer((_, response) => response.end('{}'));
  const pool = connections(false, false);
  for (let round = 0; round < 3; round += 1) await pool.exchange(get(port));
  expect(taken()).toBe(3);
});

test('a call that gets no answer ends with its time, and so does its connection', async () => {
  const { port, next } = await peer();
  ownTime();
  const trouble = troubleOf(connections().exchange(get(port, { milliseconds: 300 })));
  const gone = closing(await next());
  vi.advanceTimersByTime(300);
  expect(await trouble).toEqual(['silent', true]);
  await gone;
});

test('the time of a call covers its body too', async () => {
  const { port, next } = await peer((_, response) => void response.writeHead(200).write('{'));
  ownTime();
  const trouble = troubleOf(connections().exchange(get(port, { milliseconds: 100 })));
  await next();
  // The part that was written has come by then.
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  vi.advanceTimersByTime(100);
  expect(await trouble).toEqual(['silent', true]);
});

test('a caller that goes away takes its call with it', async () => {
  const { port, next } = await peer();
  const caller = new AbortController();
  const trouble = troubleOf(connections().exchange(get(port, { signal: caller.signal })));
  const gone = closing(await next());
  caller.abort();
  expect(await trouble).toEqual(['aborted', true]);
  await gone;
});

test('a caller that is gone already asks nothing', async () => {
  let asked = 0;
  const { port } = await peer((_, response) => {
    asked += 1;
    response.end('{}');
  });
  const pool = connections();
  expect(await troubleOf(pool.exchange(get(port, { signal: AbortSignal.abort() })))).toEqual([
    'aborted',
    true,
  ]);
  await pool.exchange(get(port));
  expect(asked).toBe(1);
});

test('proxy variables count only where that is asked for', async () => {
  const proxy = await peer();
  const { port } = await peer((_, response) => response.end('{"by":"gateway"}'));
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  expect((await connections().exchange(get(port))).text).toBe('{"by":"gateway"}');
  expect(proxy.connections()).toBe(0);
  // This one tunnels for nobody.
  await troubleOf(connections(true).exchange(get(port)));
  expect(proxy.connections()).toBeGreaterThan(0);
});

test('closing ends every call that is under way', async () => {
  const { port, next } = await peer();
  const pool = connections();
  const trouble = troubleOf(pool.exchange(get(port)));
  await next();
  await pool.close();
  expect(await trouble).toEqual(['lost', true]);
});
