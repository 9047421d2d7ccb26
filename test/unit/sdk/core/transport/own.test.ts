import { createGatewayClient } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { caught } from '../../caught.js';
import { serve } from '../../local-server.js';
import { startStubGateway } from '../../stub-gateway.js';

const health = { protocol_version: 'v1', status: 'ok' };
const nowhere = 'http://127.0.0.1:9';

/** Answers without a network, and keeps what it was given. */
function ownFetch(body: unknown = health) {
  const requests: Request[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    return Response.json(body, { headers: { 'X-Request-Id': 'http-1' } });
  };
  return { fetch, requests };
}

test('a client’s own fetch gets every request of it, with the token in it, and nothing else is called', async () => {
  const { fetch, requests } = ownFetch();
  const client = createGatewayClient({ baseUrl: nowhere, fetch, token: 'secret' });
  expect(await client.getHealth()).toEqual(health);
  expect((await client.GET('/health')).data).toEqual(health);
  const server = createHoumaoClient({ baseUrl: nowhere, fetch, token: 'secret' });
  await server.agent('alpha').getAgentState();
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    '/health',
    '/health',
    '/houmao/agents/alpha/state',
  ]);
  for (const request of requests) {
    expect(request).toBeInstanceOf(Request);
    expect(request.headers.get('Authorization')).toBe('Bearer secret');
  }
});

test('one call has its own fetch, by either door, and the next has not', async () => {
  const server = await serve((_, res) => void res.writeHead(500).end('{"detail":"the usual way"}'));
  const client = createGatewayClient({ baseUrl: server.url });
  const { fetch, requests } = ownFetch();
  expect(await client.getHealth({ fetch })).toEqual(health);
  expect((await client.GET('/health', { fetch })).data).toEqual(health);
  expect(requests).toHaveLength(2);
  expect(await caught(client.getHealth())).toMatchObject({ detail: 'the usual way' });
});

test('the platform’s fetch does, with a body and an answer', async () => {
  const gateway = await startStubGateway();
  try {
    const client = createGatewayClient({ baseUrl: gateway.url, fetch: globalThis.fetch });
    expect(await client.prompt('Hello')).toBe('You said: Hello');
  } finally {
    await gateway.close();
  }
});

test('its rejection is a lost connection: repeated where that is safe, reported with the key where it is not', async () => {
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    throw new Error('the tunnel is closed');
  };
  const client = createGatewayClient({ baseUrl: nowhere, fetch, maxRetries: 1 });
  const cancel = client.cancelRequest({ path: { request_id: 'gwreq-1' }, maxRetries: 0 });
  expect(await caught(cancel)).toMatchObject({
    errorCode: 'connection_failed',
    sent: true,
    detail: `No answer from ${nowhere}: the tunnel is closed.`,
  });
  const error = await caught(client.submit('Hello'));
  expect(error.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  expect(calls).toBe(3);
});

test('the signal of the call reaches it', async () => {
  const fetch = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  const client = createGatewayClient({ baseUrl: nowhere, fetch });
  expect(await caught(client.getHealth({ timeoutMs: 20 }))).toMatchObject({ errorCode: 'timeout' });
});

test('what is no function is refused with an example', () => {
  const fetch = 'fetch' as unknown as typeof globalThis.fetch;
  expect(() => createGatewayClient({ baseUrl: nowhere, fetch })).toThrow(
    new TypeError('fetch must be a function such as globalThis.fetch'),
  );
});
