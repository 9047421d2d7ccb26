import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { peer } from '../../support/peer.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { pathOf } from './turns-of.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterEach(async () => {
  await gateway.stop();
  session.remove();
});

test.each([
  ['no proxy comes between a server and its gateways', undefined, 'healthy'],
  ['one does where it is asked for', '1', 'not_attached'],
])('%s', async (_what, respected, health) => {
  const proxy = await peer();
  const url = `http://127.0.0.1:${proxy.port}`;
  const environment = {
    HTTP_PROXY: url,
    http_proxy: url,
    HTTPS_PROXY: url,
    https_proxy: url,
    ALL_PROXY: url,
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
    HOUMAO_GATEWAY_RESPECT_PROXY_ENV: respected,
  };
  const server = await startManagedServer(managedHost(session.folder), session.folder, { environment });
  const answer = await server.ask('GET', pathOf(session, '/gateway'));
  expect(answer).toMatchObject({ status: 200, body: { gateway_health: health } });
  expect(proxy.connections() > 0).toBe(respected === '1');
  await server.stop();
});
