import { readFileSync } from 'node:fs';
import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, serve } from '../local-server.js';

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}
/** It answers text; every other operation answers JSON. */
const answersText = 'getMetrics';
const bundle = new URL('../../../../generated/gateway/openapi.json', import.meta.url);
const { paths } = JSON.parse(readFileSync(bundle, 'utf8')) as Document;
const contract = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation.operationId ? [{ method: method.toUpperCase(), path, id: operation.operationId }] : [],
  ),
);

type AnyMethods = Record<string, (options: object) => Promise<unknown>>;
type AnyDoors = Record<
  string,
  (path: string, init: object) => Promise<{ data?: unknown; response: Response }>
>;

test('there are operations to test', () => expect(contract.length).toBeGreaterThan(30));

test.each(contract)('$id is $method $path through both doors', async ({ method, path, id }) => {
  // The fetch door parses as its caller asks.
  const asText = id === answersText ? { parseAs: 'text' } : {};
  const answer = id === answersText ? 'houmao_up 1\n' : { fine: true };
  const server = await serve((_, res) => {
    if (typeof answer === 'object') return answerJson(res, method === 'POST' ? 202 : 200, answer);
    const headers = {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'X-Request-Id': 'http-0001',
    };
    res.writeHead(200, headers).end(answer);
  });
  const client = createGatewayClient({ baseUrl: server.url });
  const parameters = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'ä/b c?']));
  const body = method === 'GET' || method === 'DELETE' ? undefined : { some: 'body' };

  const byName = (client as unknown as AnyMethods)[id]!({ path: parameters, body });
  expect(await byName).toEqual(answer);
  const byPath = (client as unknown as AnyDoors)[method]!(path, {
    params: { path: parameters },
    body,
    ...asText,
  });
  expect((await byPath).data).toEqual(answer);

  expect(server.received).toHaveLength(2);
  for (const received of server.received) {
    expect(received.method).toBe(method);
    expect(received.url).toBe(path.replace(/\{\w+\}/g, encodeURIComponent('ä/b c?')));
    expect(received.body).toBe(body ? JSON.stringify(body) : '');
    expect(received.headers['content-type']).toBe(body ? 'application/json' : undefined);
  }
});

test('query and header parameters are sent', async () => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const client = createGatewayClient({ baseUrl: server.url });
  await client.listRequests({ query: { state: 'accepted', limit: 3 } });
  const body = { kind: 'submit_prompt', payload: { prompt: 'hi' } } as const;
  await client.submitRequest({ body, headers: { 'Idempotency-Key': 'mine' } });
  expect(server.received[0]?.url).toBe('/v1/requests?state=accepted&limit=3');
  expect(server.received[1]?.headers['idempotency-key']).toBe('mine');
});

test.each([
  [{}, 'path parameter `request_id` is missing'],
  [{ request_id: undefined }, 'path parameter `request_id` is missing'],
  [{ request_id: '' }, 'path parameter `request_id` must not be ""'],
  [{ request_id: '..' }, 'path parameter `request_id` must not be ".."'],
  [{ request_id: 'a', other: 'b' }, 'has no path parameter `other`'],
])('path parameters %j are a mistake that reaches no server', async (path, message) => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const client = createGatewayClient({ baseUrl: server.url });
  const call = client.cancelRequest({ path } as Parameters<typeof client.cancelRequest>[0]);
  await expect(call).rejects.toThrow(message);
  await expect(call).rejects.toBeInstanceOf(TypeError);
  expect(server.received).toHaveLength(0);
});

test('the fetch door answers a refusal as { error, response } and rejects without an answer', async () => {
  const server = await serve((_, res) => answerJson(res, 404, { detail: 'No such request.' }));
  const client = createGatewayClient({ baseUrl: server.url });
  const init = { params: { path: { request_id: 'gwreq-1' } } };
  const { data, error, response } = await client.GET('/v1/requests/{request_id}', init);
  expect({ data, error, status: response.status }).toEqual({
    data: undefined,
    error: { detail: 'No such request.' },
    status: 404,
  });
  await server.close();
  const lost = await caught(client.GET('/v1/requests/{request_id}', init));
  expect(lost).toMatchObject({ status: null, errorCode: 'connection_failed', operationId: 'getRequest' });
});
