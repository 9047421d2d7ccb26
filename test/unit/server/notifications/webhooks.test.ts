import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/foundation/clock.js';
import { secondsOf, type WebhookCall, Webhooks } from '../../../../src/server/notifications/webhooks.js';
import { startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';

const [secret, previous] = ['secret one of 24 bytes..', 'secret two of 24 bytes..'].map(
  (text) => `whsec_${Buffer.from(text).toString('base64')}`,
) as [string, string];
let receiver: WebhookReceiver;
let webhooks: Webhooks;
beforeEach(async () => {
  receiver = await startReceiver();
  webhooks = makeWebhooks({});
});
afterEach(async () => {
  await webhooks.close();
  await receiver.close();
});

const makeWebhooks = (more: { allowsPrivate?: boolean; milliseconds?: number }) =>
  new Webhooks({ allowsPrivate: true, milliseconds: 15_000, clock: systemClock, ...more });
const send = (more: Partial<WebhookCall> = {}, sender = webhooks, stopping = new AbortController().signal) =>
  sender.send(
    { url: receiver.url, messageId: 'msg_1', body: '{"type":"test"}', secrets: [secret], ...more },
    stopping,
  );
const answering = (status: number, headers: Record<string, string> = {}, body = '') =>
  receiver.answer((response) => response.writeHead(status, headers).end(body));

test('what is sent is signed with each secret, under one id', async () => {
  expect(await send({ secrets: [secret, previous] })).toMatchObject({ code: 'delivered', status: 204 });
  await send();
  const [call, again] = receiver.calls;
  for (const one of [secret, previous])
    expect(new Webhook(one).verify(call!.body, call!.headers as Record<string, string>)).toEqual({
      type: 'test',
    });
  expect(call?.headers['webhook-id']).toBe(again?.headers['webhook-id']);
});

test.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [302, 'redirected'],
  [400, 'http_status'],
  [410, 'gone'],
  [500, 'http_status'],
])('an answer of %d is %s', async (status, code) => {
  answering(status, { location: `${receiver.url}/elsewhere` });
  expect(await send()).toMatchObject({ code, status, retryAfterSeconds: null });
  expect(receiver.calls.length).toBe(1);
});

test('the beginning of what a receiver says is kept, without what a terminal would obey', async () => {
  answering(503, { 'retry-after': '120' }, `out of\u001b[2J order ${'x'.repeat(1_000_000)}`);
  const { detail, retryAfterSeconds } = await send();
  expect([detail.includes('\u001b'), detail.length < 400, retryAfterSeconds]).toEqual([false, true, 120]);
});

test('a pause may be seconds or a moment', () => {
  const now = new Date('2026-03-13T00:00:00Z');
  expect(secondsOf('7', now)).toBe(7);
  expect(secondsOf('Fri, 13 Mar 2026 00:01:00 GMT', now)).toBe(60);
  expect(secondsOf('Fri, 13 Mar 2020 00:01:00 GMT', now)).toBe(0);
  for (const none of [undefined, '', 'soon', '-5']) expect(secondsOf(none, now)).toBeNull();
});

test('a receiver that takes the message and hangs is given up after its time', async () => {
  receiver.answer(() => undefined);
  const impatient = makeWebhooks({ milliseconds: 1000 });
  expect(await send({}, impatient)).toMatchObject({ code: 'timeout', status: null });
  expect(receiver.calls.length).toBe(1);
  await impatient.close();
});

test('an answer whose body never ends counts by its status', async () => {
  receiver.answer((response) => void response.writeHead(200).write('on and on'));
  const impatient = makeWebhooks({ milliseconds: 1000 });
  expect(await send({}, impatient)).toMatchObject({ code: 'delivered', status: 200 });
  await impatient.close();
});

test('a dead receiver, and one that cuts the connection, cannot be reached', async () => {
  receiver.answer((response) => response.destroy());
  expect(await send()).toMatchObject({ code: 'unreachable', status: null });
  await receiver.close();
  expect((await send()).detail).toMatch(/ECONNREFUSED/);
});

test('an address that is not public gets nothing, neither by its number nor by a name that leads to it', async () => {
  const careful = makeWebhooks({ allowsPrivate: false });
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await send({ url: receiver.url.replace('127.0.0.1', host) }, careful)).toMatchObject({
      code: 'private_address',
    });
  expect(receiver.calls).toEqual([]);
  await careful.close();
});
