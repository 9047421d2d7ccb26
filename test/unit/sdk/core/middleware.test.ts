import { createGatewayClient, type Middleware } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, serve } from '../local-server.js';
import { startStubGateway } from '../stub-gateway.js';

const health = { protocol_version: 'v1', status: 'ok' };
const healthy = () => serve((_, res) => answerJson(res, 200, health));

/** Notes when its hooks are called, under its name. */
const noting = (name: string, notes: string[]): Middleware => ({
  onRequest: () => void notes.push(`${name} request`),
  onResponse: ({ response }) => void notes.push(`${name} ${response.status}`),
  onError: () => void notes.push(`${name} error`),
});

test('hooks run in the order of the list, and back; those of a call inside those of the client', async () => {
  const server = await healthy();
  const notes: string[] = [];
  const middleware = [noting('first', notes), noting('second', notes)];
  const client = createGatewayClient({ baseUrl: server.url, middleware });
  await client.getHealth({ middleware: [noting('call', notes)] });
  const order = [
    ...['first request', 'second request', 'call request'],
    ...['call 200', 'second 200', 'first 200'],
  ];
  expect(notes).toEqual(order);
  notes.length = 0;
  await client.GET('/health', { middleware: [noting('call', notes)] });
  expect(notes).toEqual(order);
});

test('they see every try, know the operation by its path, and not the token', async () => {
  let tries = 0;
  const server = await serve((_, res) => {
    tries += 1;
    if (tries === 1) return void res.destroy();
    answerJson(res, 200, health);
  });
  const seen: unknown[] = [];
  const client = createGatewayClient({
    baseUrl: server.url,
    token: 'secret',
    middleware: [
      {
        onRequest: ({ schemaPath, request }) =>
          void seen.push([schemaPath, request.headers.get('Authorization')]),
        onError: ({ error }) => void seen.push(error instanceof Error),
      },
    ],
  });
  await client.getHealth();
  expect(seen).toEqual([['/health', null], true, ['/health', null]]);
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer secret',
    'Bearer secret',
  ]);
});

test('a request and an answer are replaced by objects of the platform’s classes', async () => {
  const gateway = await startStubGateway();
  try {
    const client = createGatewayClient({
      baseUrl: gateway.url,
      middleware: [
        {
          onRequest: ({ request }) => {
            const headers = new Headers(request.headers);
            headers.set('X-Team', 'blue');
            return new Request(request, { headers });
          },
          onResponse: ({ response }) => {
            expect(response).toBeInstanceOf(Response);
            return response.clone();
          },
        },
      ],
    });
    expect(await client.prompt('Grüße')).toBe('You said: Grüße');
    const submission = gateway.received.find(({ method }) => method === 'POST')!;
    expect(submission.headers).toMatchObject({
      'x-team': 'blue',
      'content-length': String(submission.body.length + 2),
    });
  } finally {
    await gateway.close();
  }
});

test('an answer in place of the request is one, and nothing is sent', async () => {
  const server = await healthy();
  const middleware = [
    {
      onRequest: () =>
        Response.json({ detail: 'Not on Sundays.' }, { status: 409, headers: { 'X-Request-Id': 'http-1' } }),
    },
  ];
  const client = createGatewayClient({ baseUrl: server.url, middleware });
  expect(await caught(client.getHealth())).toMatchObject({ status: 409, detail: 'Not on Sundays.' });
  const other = createGatewayClient({ baseUrl: server.url });
  const invented = other.getHealth({ middleware: [{ onRequest: () => new Response('no json') }] });
  expect(await caught(invented)).toMatchObject({ errorCode: 'invalid_answer', sent: false });
  expect(server.received).toHaveLength(0);
});

test('a hook that throws before the request leaves ends the call: nothing was sent', async () => {
  const gateway = await startStubGateway();
  const cause = new Error('no ticket');
  const middleware = [
    {
      onRequest: () => {
        throw cause;
      },
    },
  ];
  const client = createGatewayClient({ baseUrl: gateway.url, middleware });
  const error = await caught(client.prompt('Hello'));
  expect(error).toMatchObject({
    status: null,
    errorCode: 'middleware_failed',
    sent: false,
    idempotencyKey: null,
    cause,
    detail: 'onRequest of a middleware failed: no ticket.',
  });
  expect(gateway.received).toHaveLength(0);
  await gateway.close();
});

test('one that throws over the answer does not hide that the prompt may be queued', async () => {
  const gateway = await startStubGateway();
  const middleware = [
    {
      onResponse: ({ request }: { request: Request }) => {
        if (request.method === 'POST') throw new SyntaxError('my own parser');
      },
    },
  ];
  const client = createGatewayClient({ baseUrl: gateway.url, middleware });
  const error = await caught(client.prompt('Hello'));
  const key = gateway.received[0]?.headers['idempotency-key'];
  expect(error).toMatchObject({
    status: 202,
    errorCode: 'middleware_failed',
    sent: true,
    idempotencyKey: key,
    detail: expect.stringContaining(String(key)),
  });
  expect(gateway.received).toHaveLength(1);
  const plain = createGatewayClient({ baseUrl: gateway.url });
  const again = await plain.submit('Hello', { idempotencyKey: error.idempotencyKey! });
  expect(gateway.records.map(({ request_id }) => request_id)).toEqual([again.requestId]);
  await gateway.close();
});

test('one that throws in a second try leaves open what the first one did', async () => {
  const gateway = await serve((_, res) => void res.destroy());
  let tries = 0;
  const middleware = [
    {
      onRequest: () => {
        tries += 1;
        if (tries === 2) throw new Error('no ticket');
      },
    },
  ];
  const client = createGatewayClient({ baseUrl: gateway.url, middleware });
  expect(await caught(client.submit('Hello'))).toMatchObject({
    errorCode: 'middleware_failed',
    sent: true,
    idempotencyKey: gateway.received[0]?.headers['idempotency-key'],
  });
});

test('one that never comes back does not hold the call: its limit does, and nothing is sent later', async () => {
  const server = await healthy();
  let goOn = () => undefined as unknown;
  const middleware = [
    { onRequest: () => new Promise<undefined>((resolve) => (goOn = () => resolve(undefined))) },
  ];
  const client = createGatewayClient({ baseUrl: server.url, middleware });
  expect(await caught(client.getHealth({ timeoutMs: 20 }))).toMatchObject({
    errorCode: 'timeout',
    sent: false,
  });
  goOn();
  await createGatewayClient({ baseUrl: server.url }).getHealth();
  expect(server.received).toHaveLength(1);
});

test.each<[string, () => unknown, string]>([
  ['onRequest', () => 'no', 'it must return a Request, a Response, or nothing'],
  ['onResponse', () => new Request('http://other'), 'it must return a Response, or nothing'],
])('%s that returns something else is refused with what it may return', async (hook, answer, words) => {
  const server = await healthy();
  const middleware = [{ [hook]: answer }] as unknown as Middleware[];
  const client = createGatewayClient({ baseUrl: server.url, middleware });
  expect((await caught(client.getHealth())).detail).toBe(`${hook} of a middleware failed: ${words}.`);
});

test('an error may be answered, or replaced', async () => {
  const fetch = async () => {
    throw new Error('closed');
  };
  const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:9', fetch, maxRetries: 0 });
  expect(await client.getHealth({ middleware: [{ onError: () => Response.json(health) }] })).toEqual(health);
  const replaced = client.getHealth({ middleware: [{ onError: () => new Error('the tunnel is closed') }] });
  expect((await caught(replaced)).detail).toContain('the tunnel is closed');
});

test.each([[{}], [[{}]], [['x']], [[null]]])('%j is no list of middleware', (middleware) => {
  const options = { baseUrl: 'http://127.0.0.1:9', middleware: middleware as unknown as Middleware[] };
  expect(() => createGatewayClient(options)).toThrow(/^middleware must be a list of objects with onRequest/);
});
