// Run in a network of its own where 192.0.2.1 is this machine's address: calls the gateway as another machine would,
// and prints the answers.
import { createGatewayClient } from '@houmao/sdk';

const [port, token] = process.argv.slice(2);
const beyond = `http://192.0.2.1:${port}`;
const loopback = `http://127.0.0.1:${port}`;

async function statusOf(url, headers = {}, path = '/v1/status', method = 'GET') {
  const answer = await fetch(url + path, { method, headers });
  return [answer.status, answer.headers.get('www-authenticate'), (await answer.text()).slice(0, 200)];
}
const bySdk = async (options) =>
  createGatewayClient(options)
    .getStatus()
    .then(
      ({ gateway_health }) => gateway_health,
      ({ status }) => status,
    );

const bearer = { Authorization: `Bearer ${token}` };
const reported = {
  bare: await statusOf(beyond),
  health: await statusOf(beyond, {}, '/health'),
  docs: await statusOf(beyond, {}, '/docs/openapi.json'),
  contract: await statusOf(beyond, {}, '/openapi.json'),
  dots: await statusOf(beyond, {}, '/docs/..%2fopenapi.json'),
  posted: await statusOf(beyond, {}, '/docs/', 'POST'),
  page: await statusOf(beyond, {}, '/docs/'),
  script: await statusOf(beyond, {}, '/docs/page.js'),
  unknown: await statusOf(beyond, {}, '/nothing'),
  cancel: await statusOf(beyond, {}, '/v1/requests/x', 'DELETE'),
  query: await statusOf(beyond, {}, `/v1/status?token=${token}`),
  wrong: await statusOf(beyond, { Authorization: `Bearer ${token.slice(0, -1)}` }),
  right: await statusOf(beyond, bearer),
  loopback: await statusOf(loopback),
  loopbackWrong: await statusOf(loopback, { Authorization: 'Bearer x' }),
  sdkFinds: await bySdk({ baseUrl: beyond }),
  sdkGiven: await bySdk({ baseUrl: beyond, token }),
  sdkGivenWrong: await bySdk({ baseUrl: beyond, token: 'wrong' }),
};
process.env.HOUMAO_GLOBAL_REGISTRY_DIR = '/nonexistent';
reported.sdkFindsNone = await bySdk({ baseUrl: beyond });
process.env.HOUMAO_GATEWAY_TOKEN = token;
reported.sdkByVariable = await bySdk({ baseUrl: beyond });
console.log(JSON.stringify(reported));
