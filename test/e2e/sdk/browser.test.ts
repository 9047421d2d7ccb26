import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { newConsumer, root } from './consumer.js';

/** A page of an integrator: it prints what it gets from the SDK, the refusals too. */
const program = `
import { createGatewayClient, isGatewayError } from '@houmao/sdk';

const client = createGatewayClient({ baseUrl: new URLSearchParams(location.search).get('gateway') });
const outcome = async (call) => {
  try {
    return await call();
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    return { errorCode: error.errorCode, status: error.status, httpRequestId: error.httpRequestId };
  }
};
globalThis.reported = (async () => ({
  answer: await outcome(() => client.prompt('Hello from a page')),
  status: await outcome(async () => (await client.getStatus()).gateway_health),
  cancelled: await outcome(() => client.cancelRequest({ path: { request_id: 'gwreq-none' } })),
  invalid: await outcome(() => client.submitRequest({ body: { kind: 'no such kind', payload: {} } })),
  hint: (await client.getHealth().catch((error) => error)).detail ?? null,
  turnId: await outcome(async () => {
    const { response } = await client.POST('/v1/control/prompt', { body: { schema_version: 1, prompt: 'x', force: true } });
    return response.headers.get('X-Houmao-Turn-Id');
  }),
}))();
`;

const consumer = newConsumer();
const pages: Server[] = [];
let script: string;
let imports: readonly string[];
let session: TestSession;
let gateway: GatewayProcess;
let browser: Browser;
let allowed: string;
let foreign: string;

/** A web server of an integrator: its page and nothing else. */
async function servePage(): Promise<string> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  pages.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The bundle that an integrator's bundler makes of a program. */
async function bundleOf(name: string) {
  const bundle = await rolldown({
    input: join(consumer.folder, name),
    platform: 'browser',
    resolve: { alias: { '@houmao/sdk': join(root, 'sdk/dist/gateway/gateway-client.js') } },
  });
  const { output } = await bundle.generate({ format: 'esm' });
  return output[0];
}

beforeAll(async () => {
  consumer.write('page.js', program);
  ({ code: script, imports } = await bundleOf('page.js'));
  [allowed, foreign] = [await servePage(), await servePage()];
  session = await makeSession();
  gateway = await startGateway(session, { flags: ['--allowed-origin', allowed] });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  for (const page of pages) page.close();
  session?.remove();
  consumer.remove();
});

async function reportedTo(origin: string) {
  const page = await browser.newPage();
  await page.goto(`${origin}/?gateway=${encodeURIComponent(gateway.url)}`);
  await page.waitForFunction('globalThis.reported !== undefined');
  return page.evaluate('globalThis.reported');
}

test('the bundle is for browsers: nothing of Node is in it', () => {
  expect(imports).toEqual([]);
  expect(script).not.toMatch(/\bprocess\.env|\brequire\(|homedir\(/);
});

test('a page of an allowed origin uses the SDK as a program does', async () => {
  expect(await reportedTo(allowed)).toEqual({
    answer: expect.stringContaining('Hello from a page'),
    status: 'healthy',
    cancelled: { errorCode: 'unknown_request', status: 404, httpRequestId: expect.stringMatching(/^http-/) },
    invalid: { errorCode: 'validation_failed', status: 422, httpRequestId: expect.stringMatching(/^http-/) },
    hint: null,
    turnId: expect.stringMatching(/^turn-/),
  });
});

test('a page of another origin reaches nothing and learns nothing', async () => {
  const refused = { errorCode: 'connection_failed', status: null, httpRequestId: null };
  const requests = async () => (await (await fetch(`${gateway.url}/v1/requests`)).json()).requests;
  const before = await requests();
  const reported = await reportedTo(foreign);
  const hint = expect.stringContaining(`pages of ${foreign}: start it with --allowed-origin ${foreign}.`);
  expect(reported).toMatchObject({ answer: refused, status: refused, cancelled: refused, hint });
  expect(await requests()).toEqual(before);
});
