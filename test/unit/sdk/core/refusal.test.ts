import { inspect } from 'node:util';
import { createGatewayClient, GatewayError, isGatewayError } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, serve } from '../local-server.js';

const control = { prompt: 'hi' };

async function refusedWith(status: number, body: unknown): Promise<GatewayError> {
  const server = await serve((_, res) => answerJson(res, status, body));
  return caught(createGatewayClient({ baseUrl: server.url }).controlPrompt({ body: control }));
}

test('a refusal in words', async () => {
  const error = await refusedWith(403, { detail: 'That origin is not allowed.' });
  expect(error).toMatchObject({
    name: 'GatewayError',
    status: 403,
    errorCode: 'http_403',
    detail: 'That origin is not allowed.',
    items: [],
    httpRequestId: 'http-0001',
    operationId: 'controlPrompt',
    message: 'controlPrompt failed (403): That origin is not allowed.',
  });
  expect(isGatewayError(error)).toBe(true);
  expect(isGatewayError(new Error('other'))).toBe(false);
});

test('a refusal with a code has that instead of its status', async () => {
  const server = await serve((_, res) => {
    res.setHeader('X-Houmao-Error-Code', 'unknown_request');
    answerJson(res, 404, { detail: 'No such request.' });
  });
  const call = createGatewayClient({ baseUrl: server.url }).getRequest({ path: { request_id: 'r' } });
  const error = await caught(call);
  expect(error).toMatchObject({ status: 404, errorCode: 'unknown_request', detail: 'No such request.' });
  expect(isGatewayError(error, 'getRequest')).toBe(true);
  expect(isGatewayError(error, 'cancelRequest')).toBe(false);
});

test('a refused direct prompt', async () => {
  const refusal = { status: 'error', action: 'submit_prompt', sent: false, forced: false };
  const error = await refusedWith(409, { detail: { ...refusal, error_code: 'not_ready', detail: 'Busy.' } });
  expect(error).toMatchObject({ status: 409, errorCode: 'not_ready', detail: 'Busy.' });
});

test('violations of the contract', async () => {
  const items = [
    { type: 'missing', loc: ['body', 'payload', 'prompt'], msg: 'Field required', input: {} },
    {
      type: 'extra_forbidden',
      loc: ['body', 'list', 0],
      msg: 'Unknown field: remove it or correct its name',
      input: 1,
    },
  ];
  const error = await refusedWith(422, { detail: items });
  expect(error).toMatchObject({ status: 422, errorCode: 'validation_failed', items });
  expect(error.detail).toBe(
    'body.payload.prompt: Field required; body.list.0: Unknown field: remove it or correct its name',
  );
});

test.each([
  ['<html>Bad gateway</html>', '<html>Bad gateway</html>'],
  [{ error: 'teapot' }, '{"error":"teapot"}'],
  [null, 'null'],
])('an answer %j that is not a gateway’s', async (body, excerpt) => {
  const server = await serve((_, res) => {
    res.writeHead(502).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getHealth());
  expect(error).toMatchObject({ status: 502, errorCode: 'http_502', httpRequestId: null });
  expect(error.detail).toBe(`The answer is not a gateway's: ${excerpt}`);
});

test.each([
  ['<html>Welcome</html>', 'its GET /health answers no JSON'],
  ['', 'its GET /health answers nothing'],
])('a success that is not an answer: %j', async (body, detail) => {
  const server = await serve((_, res) => {
    res.writeHead(200, { 'Content-Type': 'text/html' }).end(body);
  });
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getHealth());
  expect(error).toMatchObject({ status: 200, errorCode: 'foreign_server' });
  expect(error.detail).toContain(detail);
});

test('no server listens', async () => {
  const server = await serve(() => undefined);
  await server.close();
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getHealth());
  expect(error).toMatchObject({ status: null, errorCode: 'connection_failed', httpRequestId: null });
  expect(error.detail).toBe(`No answer from ${server.url}: connect ECONNREFUSED 127.0.0.1:${server.port}.`);
  expect(error.cause).toBeInstanceOf(TypeError);
});

test('an answer that breaks off is no answer', async () => {
  const server = await serve((_, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '500' });
    res.write('{"protocol', () => res.destroy());
  });
  const error = await caught(createGatewayClient({ baseUrl: server.url }).getHealth());
  expect(error).toMatchObject({ status: null, errorCode: 'connection_failed' });
});

test('a body that cannot be sent is the caller’s mistake, not the gateway’s', async () => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const client = createGatewayClient({ baseUrl: server.url });
  const body: { prompt: string; self?: unknown } = { prompt: 'hi' };
  body.self = body;
  await expect(client.controlPrompt({ body })).rejects.not.toBeInstanceOf(GatewayError);
  expect(server.received).toHaveLength(0);
});

test.each([
  ['7', 7],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['soon', null],
  [null, null],
])('a refusal with Retry-After %s asks for a wait of %s seconds', async (header, seconds) => {
  const server = await serve((_, res) => {
    if (header !== null) res.setHeader('Retry-After', header);
    answerJson(res, 503, { detail: 'Later.' });
  });
  // With a key, the error also says how to repeat the call.
  const call = { body: control, headers: { 'Idempotency-Key': 'once' } };
  const error = await caught(createGatewayClient({ baseUrl: server.url, maxRetries: 0 }).controlPrompt(call));
  expect(error.retryAfter).toBe(seconds);
  expect(error.headers?.get('retry-after')).toBe(header);
  expect(inspect(error)).not.toContain('Headers');
});

test('without an answer there are no headers', async () => {
  const server = await serve((_, res) => {
    res.destroy();
  });
  const error = await caught(
    createGatewayClient({ baseUrl: server.url, maxRetries: 0 }).controlPrompt({ body: control }),
  );
  expect([error.status, error.headers, error.retryAfter]).toEqual([null, null, null]);
});
