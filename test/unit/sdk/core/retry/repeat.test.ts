import { createGatewayClient, type LogOption } from '@houmao/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { caught } from '../../caught.js';
import { answerJson, type Handler, listen, serve } from '../../local-server.js';
import { ownTime } from '../../own-time.js';
import { startStubGateway } from '../../stub-gateway.js';

const body = { kind: 'submit_prompt', payload: { prompt: 'forever' } } as const;

/** A gateway that stores every submission, and whose first answers do not arrive. */
async function losingAnswers(
  losses: number,
  lose: (res: Parameters<Handler>[1]) => void,
  log: LogOption = 'off',
) {
  let left = losses;
  const target = await startStubGateway();
  const server = await serve(async (received, res) => {
    const { method, url, headers, body } = received;
    const forwarded = { 'Idempotency-Key': String(headers['idempotency-key']) };
    const answer = await fetch(target.url + url, { method, body, headers: forwarded });
    left -= 1;
    if (left >= 0) return lose(res);
    answerJson(res, answer.status, await answer.json());
  });
  onTestFinished(() => target.close());
  const client = createGatewayClient({ baseUrl: server.url, timeoutMs: 60_000, log });
  const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);
  return { client, keys, records: target.records };
}

test('every submission has a key of its own', async () => {
  const { client, keys } = await losingAnswers(0, () => undefined);
  await client.submitRequest({ body });
  await client.submitRequest({ body });
  expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys()).size).toBe(2);
});

test.each<[string, (res: Parameters<Handler>[1]) => void]>([
  ['the connection is reset', (res) => void res.socket?.resetAndDestroy()],
  ['the connection is closed', (res) => void res.destroy()],
  ['the answer breaks off', (res) => void res.writeHead(202).write('{"req', () => res.destroy())],
])('%s after the accept: repeated with the same key, queued once', async (_name, lose) => {
  const { client, keys, records } = await losingAnswers(2, lose);
  const accepted = await client.submitRequest({ body, headers: { 'Idempotency-Key': 'mine' } });
  expect(keys()).toEqual(['mine', 'mine', 'mine']);
  expect(records.map(({ request_id }) => request_id)).toEqual([accepted.request_id]);
});

test('a generated key is kept over the tries', async () => {
  const { client, keys, records } = await losingAnswers(1, (res) => void res.destroy());
  await client.submitRequest({ body });
  expect(new Set(keys()).size).toBe(1);
  expect(keys()).toHaveLength(2);
  expect(records).toHaveLength(1);
});

test('reminders and direct prompts are repeated with one key, too', async () => {
  const server = await serve((_received, res) => void res.destroy());
  const client = createGatewayClient({ baseUrl: server.url, maxRetries: 1 });
  const reminder = { title: 't', prompt: 'p', mode: 'one_off', start_after_seconds: 60 } as const;
  const calls = [
    client.createReminders({ body: { reminders: [{ ...reminder, ranking: 0 }] } }),
    client.controlPrompt({ body: { prompt: 'p' } }),
  ];
  for (const { idempotencyKey } of await Promise.all(calls.map(caught)))
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  const keys = server.received.map(({ url, headers }) => `${url} ${headers['idempotency-key']}`);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(2);
});

test('as many tries as were asked for, then the failure is reported with the key', async () => {
  const { client, keys } = await losingAnswers(9, (res) => void res.destroy());
  const error = await caught(client.submitRequest({ body, maxRetries: 1 }));
  expect(error).toMatchObject({ errorCode: 'connection_failed', operationId: 'submitRequest' });
  expect(keys()).toHaveLength(2);
  expect(error.idempotencyKey).toBe(keys()[0]);
  for (const maxRetries of [-1, 1.5, Number.NaN])
    await expect(client.getHealth({ maxRetries })).rejects.toThrow(RangeError);
});

test('one deadline holds for all tries, and leaves open what was queued', async () => {
  const time = ownTime();
  const { client, keys } = await losingAnswers(9, () => undefined);
  const late = caught(client.submitRequest({ body, timeoutMs: 200 }));
  await time.until(() => keys().length, 1);
  await time.pass(200);
  const error = await late;
  expect(error).toMatchObject({ errorCode: 'timeout', sent: true, idempotencyKey: keys()[0] });
  expect(error.detail).toContain('within 200 ms. ');
  expect(keys()).toHaveLength(1);
});

test('what only reads is repeated through both doors, and bears a 503 that says when to come again', async () => {
  let tries = 0;
  const server = await serve((_, res) => {
    tries += 1;
    if (tries % 3 === 1) return void res.destroy();
    if (tries % 3 === 2) return answerJson(res, 503, { detail: 'Later.' }, { 'Retry-After': '0' });
    return answerJson(res, 200, { fine: true });
  });
  const client = createGatewayClient({ baseUrl: server.url });
  expect(await client.getHealth()).toEqual({ fine: true });
  expect((await client.GET('/health')).data).toEqual({ fine: true });
  expect(tries).toBe(6);
});

test('a repeated long poll asks for the rest of its wait', async () => {
  const time = ownTime();
  const server = await serve((_, res) => {
    if (server.received.length === 1) return void res.destroy();
    answerJson(res, 200, {});
  });
  const client = createGatewayClient({ baseUrl: server.url });
  const asked = client.getRequest({ path: { request_id: 'gwreq-1' }, query: { wait_seconds: 30 } });
  await time.until(() => server.received.length, 1);
  await time.pass(10_000);
  await time.passWhile(asked);
  const [first, second] = server.received.map(({ url }) =>
    Number(new URL(url, server.url).searchParams.get('wait_seconds')),
  );
  expect(first).toBe(30);
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThanOrEqual(29.9);
});

test.each([401, 409, 422, 501, 503])(
  'HTTP %d is a refusal: not repeated, nothing is queued',
  async (status) => {
    const server = await serve((_, res) => answerJson(res, status, { detail: 'No.' }));
    const error = await caught(createGatewayClient({ baseUrl: server.url }).submitRequest({ body }));
    expect(error).toMatchObject({ status, detail: 'No.', idempotencyKey: null });
    expect(server.received).toHaveLength(1);
  },
);

test.each([500, 502, 504])('HTTP %d is not repeated, and leaves open what was queued', async (status) => {
  const server = await serve((_, res) => answerJson(res, status, { detail: 'Fault.' }));
  const error = await caught(createGatewayClient({ baseUrl: server.url }).submitRequest({ body }));
  expect(error).toMatchObject({ status, errorCode: `http_${status}`, httpRequestId: 'http-0001' });
  expect(error.idempotencyKey).toBe(server.received[0]!.headers['idempotency-key']);
  expect(error.detail).toBe(
    `Fault. Whether it was done is not known. Retry with the idempotencyKey ${error.idempotencyKey}: it is done at most once.`,
  );
  expect(server.received).toHaveLength(1);
});

test.each([
  ['no JSON', '<html>Welcome</html>'],
  ['no body', ''],
])('a 202 with %s is not repeated: a gateway did not say it', async (_name, text) => {
  const server = await serve((_, res) => void res.writeHead(202).end(text));
  const headers = { 'Idempotency-Key': 'mine' };
  const error = await caught(createGatewayClient({ baseUrl: server.url }).submitRequest({ body, headers }));
  expect(error).toMatchObject({ status: 202, errorCode: 'foreign_server', idempotencyKey: 'mine' });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/requests',
    'GET /health',
  ]);
});

test('a refusal after a lost answer takes nothing back', async () => {
  let tries = 0;
  const server = await serve((_, res) => {
    tries += 1;
    return tries === 1 ? void res.destroy() : answerJson(res, 503, { detail: 'The gateway is stopping.' });
  });
  const headers = { 'Idempotency-Key': 'mine' };
  const error = await caught(createGatewayClient({ baseUrl: server.url }).submitRequest({ body, headers }));
  expect(error).toMatchObject({ status: 503, idempotencyKey: 'mine' });
});

describe('a call without a key whose first answer was lost', () => {
  const refused = (res: Parameters<Handler>[1]) => answerJson(res, 409, { detail: 'No.' });
  const losing = async (then: (res: Parameters<Handler>[1]) => void) => {
    let tries = 0;
    const server = await serve((_, res) => {
      tries += 1;
      return tries === 1 ? void res.destroy() : then(res);
    });
    return createGatewayClient({ baseUrl: server.url });
  };
  const path = { request_id: 'gwreq-1' };

  test('may be done, whatever refuses it later', async () => {
    const client = await losing(refused);
    expect(await caught(client.cancelRequest({ path }))).toMatchObject({
      status: 409,
      outcomeUnknown: true,
      idempotencyKey: null,
      detail: 'No. An earlier try may have done it.',
    });
  });

  test('may be done where nobody answers later', async () => {
    const server = await listen((_, res) => {
      res.destroy();
      void server.close();
    });
    const client = createGatewayClient({ baseUrl: server.url, maxRetries: 1 });
    expect(await caught(client.updateQueue({ body: { paused: true } }))).toMatchObject({
      status: null,
      errorCode: 'connection_failed',
      sent: true,
      outcomeUnknown: true,
      detail: expect.stringMatching(/ An earlier try may have done it\.$/),
    });
  });

  test('is done where a later answer says so', async () => {
    const client = await losing((res) => {
      res.writeHead(502, { 'Content-Type': 'application/json', 'X-Houmao-Done': 'true' });
      res.end('{"detail":"It is done, but cannot be shown."}');
    });
    const marking = { message_refs: ['filesystem:msg-1'], read: true };
    expect(await caught(client.markMail({ body: marking }))).toMatchObject({
      done: true,
      outcomeUnknown: false,
      detail: 'It is done, but cannot be shown.',
    });
  });

  test('leaves nothing open where it only reads', async () => {
    for (const ask of ['getRequest', 'listMail'] as const) {
      const client = await losing(refused);
      const asked = ask === 'getRequest' ? client.getRequest({ path }) : client.listMail({ body: {} });
      expect(await caught(asked)).toMatchObject({ status: 409, outcomeUnknown: false, detail: 'No.' });
    }
  });
});

test('what was delivered all the same is known to be, also after a lost answer', async () => {
  let tries = 0;
  const signs = { 'X-Houmao-Done': 'true', 'X-Houmao-Message-Ref': 'filesystem:msg-1' };
  const server = await serve((_, res) => {
    tries += 1;
    if (tries === 1) return void res.destroy();
    res.writeHead(502, { 'Content-Type': 'application/json', ...signs });
    res.end('{"detail":"msg-1 is delivered, but."}');
  });
  const mail = { to: ['bob@houmao.localhost'], subject: 's', body_content: '' };
  const error = await caught(createGatewayClient({ baseUrl: server.url }).sendMail({ body: mail }));
  expect(error).toMatchObject({
    done: true,
    messageRef: 'filesystem:msg-1',
    detail: 'msg-1 is delivered, but.',
  });
  expect(error.idempotencyKey).toBe(server.received[1]!.headers['idempotency-key']);
  expect(server.received).toHaveLength(2);
});

test('an unknown outcome is reported as such, with a key or without one', async () => {
  const server = await serve((_, res) => {
    res.writeHead(502, { 'Content-Type': 'application/json', 'X-Houmao-Done': 'unknown' });
    res.end('{"detail":"The mail server was lost."}');
  });
  const client = createGatewayClient({ baseUrl: server.url });
  const marking = { message_refs: ['filesystem:msg-1'], read: true };
  const error = await caught(client.markMail({ body: marking }));
  expect(error).toMatchObject({ outcomeUnknown: true, done: false, idempotencyKey: null });
  const mail = { to: ['bob@houmao.localhost'], subject: 's', body_content: '' };
  const headers = { 'Idempotency-Key': 'mine' };
  const sending = await caught(client.sendMail({ body: mail, headers }));
  expect(sending).toMatchObject({ outcomeUnknown: true, done: false, idempotencyKey: 'mine' });
});

test('an abort ends the tries', async () => {
  const controller = new AbortController();
  // It reports that it tries again before it does.
  const log = { level: 'warn', sink: () => controller.abort('enough') } as const;
  const { client, keys } = await losingAnswers(9, (res) => void res.destroy(), log);
  const error = await caught(client.submitRequest({ body, signal: controller.signal }));
  expect(error).toMatchObject({ errorCode: 'aborted', cause: 'enough' });
  expect(keys()).toHaveLength(1);
});

test('what has no key or may never be repeated is sent once', async () => {
  const server = await serve((_, res) => void res.destroy());
  const client = createGatewayClient({ baseUrl: server.url });
  await caught(client.sendKeys({ body: { sequence: 'x' } }));
  await caught(client.POST('/v1/requests', { body }));
  expect(server.received).toHaveLength(2);
});
