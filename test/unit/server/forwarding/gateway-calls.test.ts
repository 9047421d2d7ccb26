import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeFault } from '../../../../src/foundation/exchange-fault.js';
import {
  callLimit,
  GatewayCalls,
  gatewayConnections,
} from '../../../../src/server/forwarding/gateway-calls.js';
import { peer } from '../../../support/peer.js';

async function asked(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const connections = gatewayConnections(false);
  onTestFinished(() => connections.close());
  return { calls: new GatewayCalls(connections), ...(await peer(answer)) };
}

test('an operation is asked by its name, with what belongs into path, query and headers', async () => {
  const { calls, port } = await asked((request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, type: headers['content-type'] ?? null }));
  });
  const given = { path: { request_id: 'a/b ?' }, query: { wait_seconds: 2, cursor: undefined } };
  expect(await calls.ask(port, 'getRequest', given)).toMatchObject({
    kind: 'done',
    body: { method: 'GET', url: '/v1/requests/a%2Fb%20%3F?wait_seconds=2', type: null },
  });
  expect(
    await calls.ask(port, 'updateMailNotifier', {
      body: { interval_seconds: 5 },
      headers: { 'X-A': undefined },
    }),
  ).toMatchObject({ body: { method: 'PUT', url: '/v1/mail-notifier', type: 'application/json' } });
});

test.each([
  [409, '{"detail":"no"}', 'no'],
  [422, '{"detail":[{"type":"missing"}]}', [{ type: 'missing' }]],
  [503, '{"detail":{"error_code":"unavailable"}}', { error_code: 'unavailable' }],
  [500, 'Internal Server Error', 'Internal Server Error'],
  [502, 'null', 'null'],
])('a refusal with %i keeps what it says: %s', async (status, text, detail) => {
  const { calls, port } = await asked((_, response) => response.writeHead(status).end(text));
  expect(await calls.ask(port, 'getStatus')).toMatchObject({ kind: 'refused', status, detail });
});

test('a success that is no JSON is no answer', async () => {
  const { calls, port } = await asked((_, response) => response.end('<html>'));
  await expect(calls.ask(port, 'getStatus')).rejects.toThrow(new ExchangeFault('invalid_answer'));
});

test('what waits has its wait and the usual time, what types or reads mail has longer, what carries files longest', () => {
  expect(callLimit('getStatus', {})).toBe(5000);
  expect(callLimit('getTurn', { wait_seconds: 0 })).toBe(5000);
  expect(callLimit('getTurn', { wait_seconds: 60 })).toBe(65_000);
  expect(callLimit('controlPrompt', {})).toBe(60_000);
  expect(callLimit('listMail', {})).toBe(60_000);
  for (const carries of ['fetchMailAttachment', 'sendMail', 'postMail', 'replyMail'] as const)
    expect(callLimit(carries, {})).toBe(180_000);
});
