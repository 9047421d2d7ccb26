import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { caught } from '../caught.js';
import { answerJson, serve } from '../local-server.js';

test('withResponse has status, headers and the id of the answer beside its body', async () => {
  const server = await serve((_, res) => answerJson(res, 200, { fine: true }, { 'X-More': 'yes' }));
  const call = createGatewayClient({ baseUrl: server.url }).getHealth();
  const { data, response, httpRequestId } = await call.withResponse();
  expect({ data, status: response.status, more: response.headers.get('X-More'), httpRequestId }).toEqual({
    data: { fine: true },
    status: 200,
    more: 'yes',
    httpRequestId: 'http-0001',
  });
  expect(await call).toEqual({ fine: true });
  expect(server.received).toHaveLength(1);
});

test('it rejects as the call does, and nothing is left unhandled', async () => {
  const server = await serve((_, res) => answerJson(res, 404, { detail: 'No such request.' }));
  const client = createGatewayClient({ baseUrl: server.url });
  const error = await caught(client.getTurn({ path: { turn_id: 't' } }).withResponse());
  expect(error).toMatchObject({ status: 404, httpRequestId: 'http-0001' });
});
