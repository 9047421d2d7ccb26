import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, type Handler, serve } from '../local-server.js';
import { ownTime } from '../own-time.js';

const silent: Handler = () => undefined;
const path = { request_id: 'gwreq-1' };

test('a call ends after 5 s by itself', async () => {
  const time = ownTime();
  const server = await serve(silent);
  const client = createGatewayClient({ baseUrl: server.url });
  const details: string[] = [];
  const both = [client.getHealth(), client.GET('/health')].map(async (call) => {
    const error = await caught(call);
    expect(error).toMatchObject({ status: null, errorCode: 'timeout' });
    details.push(error.detail);
  });
  await time.until(() => server.received.length, 2);
  await time.pass(4999);
  await nextTurn();
  expect(details).toEqual([]);
  await time.pass(1);
  await Promise.all(both);
  const detail = `No answer from ${server.url} within 5 s.`;
  expect(details).toEqual([detail, detail]);
});

test('the client and the call set other limits, through both doors', async () => {
  const server = await serve(silent);
  const client = createGatewayClient({ baseUrl: server.url, timeoutMs: 80 });
  expect((await caught(client.getHealth())).detail).toContain('within 80 ms');
  expect((await caught(client.GET('/health'))).detail).toContain('within 80 ms');
  expect((await caught(client.getHealth({ timeoutMs: 40 }))).detail).toContain('within 40 ms');
  expect((await caught(client.GET('/health', { timeoutMs: 40 }))).detail).toContain('within 40 ms');
});

test('a long poll has the seconds it asks for on top', async () => {
  const time = ownTime();
  const held: Parameters<Handler>[1][] = [];
  const server = await serve((_, res) => void held.push(res));
  const client = createGatewayClient({ baseUrl: server.url, timeoutMs: 100 });
  const query = { wait_seconds: 1 };
  const both = [
    client.getRequest({ path, query }),
    client.GET('/v1/requests/{request_id}', { params: { path, query } }),
  ];
  await time.until(() => held.length, 2);
  await time.pass(1099);
  for (const res of held) answerJson(res, 200, {});
  expect(await Promise.all(both)).toMatchObject([{}, { data: {} }]);
  const late = caught(client.getRequest({ path, query }));
  await time.until(() => held.length, 3);
  await time.pass(1100);
  expect((await late).detail).toContain('within 1.1 s');
});

test('the limit covers the body too', async () => {
  const server = await serve((_, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' }).write('{"protocol');
  });
  const client = createGatewayClient({ baseUrl: server.url, timeoutMs: 80 });
  expect((await caught(client.getHealth())).errorCode).toBe('timeout');
  expect((await caught(client.GET('/health'))).errorCode).toBe('timeout');
});

test('a limit longer than timers can count is no limit', async () => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const client = createGatewayClient({ baseUrl: server.url, timeoutMs: Number.POSITIVE_INFINITY });
  await expect(client.getHealth()).resolves.toEqual({});
  await expect(client.getHealth({ timeoutMs: 2 ** 40 })).resolves.toEqual({});
});

test.each([0, -1, Number.NaN])('a limit of %d ms is refused', async (timeoutMs) => {
  expect(() => createGatewayClient({ baseUrl: 'http://127.0.0.1:1', timeoutMs })).toThrow(RangeError);
  const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
  await expect(client.getHealth({ timeoutMs })).rejects.toThrow(RangeError);
  await expect(client.prompt('hi', { timeoutMs })).rejects.toThrow(RangeError);
});

test('the caller’s signal stops a call, with its reason, and closes the connection', async () => {
  let closed = 0;
  let controller = new AbortController();
  const server = await serve((_, res) => {
    res.on('close', () => {
      closed += 1;
    });
    controller.abort('enough');
  });
  const client = createGatewayClient({ baseUrl: server.url });
  const calls = [
    (signal: AbortSignal) => client.getHealth({ signal }),
    (signal: AbortSignal) => client.GET('/health', { signal }),
  ];
  for (const call of calls) {
    controller = new AbortController();
    expect(await caught(call(controller.signal))).toMatchObject({
      status: null,
      errorCode: 'aborted',
      cause: 'enough',
    });
  }
  await expect.poll(() => closed).toBe(2);
});

test('a signal that fired before sends nothing', async () => {
  const server = await serve(silent);
  const client = createGatewayClient({ baseUrl: server.url });
  const error = await caught(client.getHealth({ signal: AbortSignal.abort('early') }));
  expect(error).toMatchObject({ errorCode: 'aborted', cause: 'early' });
  expect(server.received).toHaveLength(0);
});

test('a signal that outlives its calls collects no listeners', async () => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const client = createGatewayClient({ baseUrl: server.url });
  const { signal } = new AbortController();
  for (let i = 0; i < 5; i += 1) await client.getHealth({ signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
