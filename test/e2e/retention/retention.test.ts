import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait } from '../../support/http.js';
import { makeSession } from '../../support/test-session.js';

test('finished requests are kept, and forgotten after the days of --retain-days', async () => {
  const session = await makeSession();
  let gateway = await startGateway(session);
  const old = await promptAndWait(gateway.url, 'old');
  const client = () => createGatewayClient({ baseUrl: gateway.url });
  const labelled = await client().submit('labelled', { metadata: { ticket: 'HOU-1' } });
  await labelled.answer();
  await gateway.stop();

  const database = openDatabase(session.paths.queue);
  database.prepare(`UPDATE gateway_requests SET finished_at_utc = '2020-01-01T00:00:00+00:00'`).run();
  database.close();
  gateway = await startGateway(session);
  expect((await call(gateway.url, 'GET', `/v1/requests/${old.request_id}`)).status).toBe(200);
  const young = await promptAndWait(gateway.url, 'young');
  await gateway.stop();

  gateway = await startGateway(session, { flags: ['--retain-days', '1'] });
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${old.request_id}`)).status)
    .toBe(404);
  expect((await call(gateway.url, 'GET', `/v1/turns/${old.turn.turn_id}`)).status).toBe(404);
  expect((await call(gateway.url, 'GET', `/v1/requests/${young.request_id}`)).status).toBe(200);
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${labelled.requestId}`)).status)
    .toBe(404);
  await gateway.stop();
  const left = openDatabase(session.paths.queue);
  expect(left.prepare('SELECT * FROM prompt_metadata').all()).toEqual([]);
  left.close();
  session.remove();
});
