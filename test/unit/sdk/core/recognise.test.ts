import { createGatewayClient } from '@houmao/sdk';
import { createHoumaoClient, HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, type Handler, serve } from '../local-server.js';

const health = { protocol_version: 'v1', status: 'ok' };
const path = { request_id: 'gwreq-1' };

/** A server without the ids of Houmao's. */
const answerWith =
  (status: number, body: unknown): Handler =>
  (_, res) =>
    void res
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

test.each<[string, Handler, number, string]>([
  ['other JSON', answerWith(200, { hello: 'world' }), 200, 'its GET /health answers {"hello":"world"}'],
  ['a page', answerWith(200, '<!doctype html>'), 200, 'its GET /health answers no JSON'],
  ['nothing it knows', answerWith(404, 'Cannot GET /'), 404, 'its GET /health answers 404 Cannot GET /'],
])('a foreign server that answers %s is named', async (_name, handle, status, words) => {
  const server = await serve(handle);
  const client = createGatewayClient({ baseUrl: server.url });
  const error = await caught(client.getStatus());
  expect(error).toMatchObject({ status, errorCode: 'foreign_server', operationId: 'getStatus' });
  expect(error.detail).toContain(`${server.url} is not a gateway: ${words}.`);
  expect(await caught(client.prompt('Hello'))).toMatchObject({ errorCode: 'foreign_server' });
  const houmao = await createHoumaoClient({ baseUrl: server.url })
    .listAgents()
    .catch((reason: unknown) => reason);
  expect(houmao).toBeInstanceOf(HoumaoError);
  expect(houmao).toMatchObject({
    errorCode: 'foreign_server',
    detail: expect.stringContaining(`${server.url} is not a managed-agent server: ${words}.`),
  });
});

test.each([
  ['its own words', 'slow down'],
  ['the words of a detail', { detail: 'slow down' }],
])(
  'a limit of what stands between, in %s, is no foreign server and costs no second call',
  async (_name, body) => {
    const server = await serve(answerWith(429, body));
    const client = createGatewayClient({ baseUrl: server.url });
    const error = await caught(client.getStatus());
    expect(error).toMatchObject({ status: 429, errorCode: 'http_429' });
    expect(error.detail).toContain('slow down');
    expect(error.detail).not.toContain('is not a gateway');
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/status']);
  },
);

test.each([407, 429])(
  'a health that what stands between refuses with %i says nothing of who it is',
  async (status) => {
    const server = await serve((received, res) =>
      answerWith(received.url === '/health' ? status : 404, 'between')(received, res),
    );
    const client = createGatewayClient({ baseUrl: server.url });
    expect(await caught(client.getStatus())).toMatchObject({ status: 404, errorCode: 'http_404' });
  },
);

test('a gateway that gives its answers no ids is asked for its health once', async () => {
  const server = await serve((received, res) =>
    answerWith(200, received.url === '/health' ? health : { schema_version: 1 })(received, res),
  );
  const client = createGatewayClient({ baseUrl: server.url });
  await client.getStatus();
  await client.getStatus();
  expect(server.received.map(({ url }) => url)).toEqual(['/v1/status', '/health', '/v1/status']);
});

test.each(['/v1', '/docs/', '/houmao/agents/alpha/gateway'])(
  'an address that ends in %s, below which a gateway has nothing, is named',
  async (path) => {
    const server = await serve((_, res) =>
      answerJson(res, 404, { detail: 'Not Found' }, { 'X-Houmao-Error-Code': 'not_found' }),
    );
    const error = await caught(createGatewayClient({ baseUrl: server.url + path }).prompt('Hello'));
    expect(error).toMatchObject({ status: 404, errorCode: 'not_found', idempotencyKey: null });
    const pathname = path.replace(/\/$/, '');
    expect(error.detail).toContain(
      `A server of Houmao answers there, and has nothing below ${pathname}: try ${server.url} as baseUrl.`,
    );
  },
);

test('where a gateway answers below a path, what it does not know is not blamed on the path', async () => {
  const server = await serve(({ url }, res) =>
    url === '/alpha/v1/health'
      ? answerJson(res, 200, health)
      : answerJson(res, 404, { detail: 'Not Found' }, { 'X-Houmao-Error-Code': 'not_found' }),
  );
  const client = createGatewayClient({ baseUrl: `${server.url}/alpha/v1` });
  expect(await caught(client.getStatus())).toMatchObject({ errorCode: 'not_found', detail: 'Not Found' });
});

test('a gateway’s own answers and refusals cost no second call', async () => {
  const server = await serve((_, res) =>
    answerJson(res, 404, { detail: 'Gone.' }, { 'X-Houmao-Error-Code': 'unknown_request' }),
  );
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getRequest({ path }));
  expect(error).toMatchObject({ errorCode: 'unknown_request', detail: 'Gone.' });
  expect(server.received).toHaveLength(1);
});

test.each<[string, Handler]>([
  ['fails', answerWith(503, 'away')],
  ['breaks off', (_, res) => void res.destroy()],
  ['wants a token', answerWith(401, { detail: 'Token.' })],
  ['wants somebody else', answerWith(403, { detail: 'Not you.' })],
])('where the health %s, the first answer stands', async (_name, unwell) => {
  const server = await serve((received, res) =>
    (received.url === '/health' ? unwell : answerWith(404, { detail: 'Not here.' }))(received, res),
  );
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getRequest({ path }));
  expect(error).toMatchObject({ status: 404, errorCode: 'http_404', detail: 'Not here.' });
});

test('that a prompt may be queued behind a page in between is not forgotten', async () => {
  const server = await serve((_, res) => void res.writeHead(200).end('<html>Sign in</html>'));
  const error = await caught(createGatewayClient({ baseUrl: server.url }).submit('Hello'));
  expect(error).toMatchObject({ errorCode: 'foreign_server', sent: true });
  expect(error.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  expect(error.detail).toContain(error.idempotencyKey);
});
