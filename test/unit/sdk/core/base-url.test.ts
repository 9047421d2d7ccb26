import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { answerJson, serve } from '../local-server.js';

const healthy = { protocol_version: 'v1', status: 'ok' };

test('0.0.0.0 is dialled as 127.0.0.1, also as a Host that the gateway accepts', async () => {
  const server = await serve((_, res) => answerJson(res, 200, healthy), '0.0.0.0');
  await expect(
    createGatewayClient({ baseUrl: `http://0.0.0.0:${server.port}` }).getHealth(),
  ).resolves.toEqual(healthy);
  expect(server.received[0]?.headers.host).toBe(`127.0.0.1:${server.port}`);
});

test.each([
  ['', '/health'],
  ['/', '/health'],
  ['/agents/a%20b/gateway/', '/agents/a%20b/gateway/health'],
])('a base path %j gives %s', async (suffix, expected) => {
  const server = await serve((_, res) => answerJson(res, 200, healthy));
  await createGatewayClient({ baseUrl: new URL(server.url + suffix) }).getHealth();
  await createGatewayClient({ baseUrl: server.url + suffix }).GET('/health');
  expect(server.received.map(({ url }) => url)).toEqual([expected, expected]);
});

test.each([
  ['127.0.0.1:9000', 'baseUrl "127.0.0.1:9000" is not an http address such as http://127.0.0.1:9000'],
  ['localhost:9000', 'is not an http address'],
  ['', 'is not an http address'],
  ['ftp://127.0.0.1', 'is not an http address'],
  ['http://me:secret@127.0.0.1', 'must not contain a user name or password'],
  ['http://127.0.0.1/?a=1', 'must not have a query or a fragment'],
])('%j is refused at once', (baseUrl, message) => {
  expect(() => createGatewayClient({ baseUrl })).toThrow(TypeError);
  expect(() => createGatewayClient({ baseUrl })).toThrow(message);
});
