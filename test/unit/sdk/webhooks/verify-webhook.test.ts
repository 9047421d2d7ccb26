import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
} from '../../../../sdk/src/webhooks/verify-webhook.js';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
const now = new Date('2026-03-13T00:00:00Z');
const body = JSON.stringify({ type: 'test', timestamp: '2026-03-13T00:00:00+00:00', data: { title: 'ä' } });

/** Signed by the library of the standard. */
const signed = (text = body, at = now, by = [secret]) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': by.map((one) => new Webhook(one).sign('msg_1', at, text)).join(' '),
});
const refusal = async (...given: Parameters<typeof verifyWebhook>): Promise<WebhookErrorCode> => {
  const error = await verifyWebhook(...given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  return (error as WebhookError).errorCode;
};
const later = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1000) });

test('a message that the library of the standard signed is verified, whatever form body and headers have', async () => {
  const message = JSON.parse(body);
  expect(await verifyWebhook(body, signed(), secret, { now })).toEqual(message);
  expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(signed()), secret, { now })).toEqual(
    message,
  );
  const ofNode = { 'Webhook-Id': ['msg_1'], 'WEBHOOK-TIMESTAMP': signed()['webhook-timestamp'] };
  const headers = { ...ofNode, 'webhook-signature': signed()['webhook-signature'] };
  expect(await verifyWebhook(body, headers, secret, { now })).toEqual(message);
});

test('while a secret is exchanged, either is enough on either side', async () => {
  const both = signed(body, now, [other, secret]);
  for (const one of [secret, other, [other, secret], [secret, other]])
    expect(await verifyWebhook(body, both, one, { now })).toMatchObject({ type: 'test' });
  expect(await verifyWebhook(body, signed(), [other, secret], { now })).toMatchObject({ type: 'test' });
});

test('nothing else is: no other body, id, secret, time or version of the signature', async () => {
  expect(await refusal(`${body} `, signed(), secret, { now })).toBe('bad_signature');
  expect(await refusal(body, signed(), other, { now })).toBe('bad_signature');
  expect(await refusal(body, { ...signed(), 'webhook-id': 'msg_2' }, secret, { now })).toBe('bad_signature');
  const v2 = signed()['webhook-signature'].replace('v1,', 'v2,');
  expect(await refusal(body, { ...signed(), 'webhook-signature': v2 }, secret, { now })).toBe(
    'bad_signature',
  );
  expect(await refusal(body, { ...signed(), 'webhook-signature': 'v1,%' }, secret, { now })).toBe(
    'bad_signature',
  );
  expect(await refusal(body, { ...signed(), 'webhook-timestamp': 'now' }, secret, { now })).toBe(
    'bad_headers',
  );
  const { 'webhook-id': _id, ...without } = signed();
  expect(await refusal(body, without, secret, { now })).toBe('bad_headers');
  expect(await refusal(body, signed(), 'whsec_', { now })).toBe('bad_secret');
  expect(await refusal(body, signed(), [], { now })).toBe('bad_signature');
  expect(await refusal('7', signed('7'), secret, { now })).toBe('bad_body');
  expect(await refusal('{', signed('{'), secret, { now })).toBe('bad_body');
});

test('a message of five minutes ago is fresh, one older or of the future is not', async () => {
  for (const seconds of [-300, 300])
    expect(await verifyWebhook(body, signed(), secret, later(seconds))).toMatchObject({ type: 'test' });
  for (const seconds of [-301, 301])
    expect(await refusal(body, signed(), secret, later(seconds))).toBe('bad_timestamp');
  expect(await verifyWebhook(body, signed(), secret, { ...later(900), toleranceSeconds: 900 })).toBeTruthy();
});

test('of any body, changed in any place, no signature fits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(), async (title, at) => {
      const text = JSON.stringify({ type: 'test', timestamp: '', data: { title } });
      expect((await verifyWebhook(text, signed(text), secret, { now })).data).toEqual({ title });
      const place = at % text.length;
      const changed = `${text.slice(0, place)}\u2603${text.slice(place + 1)}`;
      if (changed !== text)
        expect(await refusal(changed, signed(text), secret, { now })).toBe('bad_signature');
    }),
  );
});
