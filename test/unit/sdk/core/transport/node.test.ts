import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startProxy } from '../../local-proxy.js';
import { answerJson, serve } from '../../local-server.js';

/** Node 22.21 and newer read NODE_USE_ENV_PROXY. */
const nodeHasTheTrap = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
const callBothDoors = `
  const client = createGatewayClient({ baseUrl: process.env.TARGET });
  await client.getHealth();
  await client.GET('/health');`;

/** Runs a program of its own, for proxy variables are read when Node starts. */
async function run(program: string, env: Record<string, string>) {
  const proxy = await startProxy();
  const server = await serve((_, res) => answerJson(res, 200, { protocol_version: 'v1', status: 'ok' }));
  const variables = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url };
  const lower = Object.fromEntries(Object.entries(variables).map(([name, url]) => [name.toLowerCase(), url]));
  await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', `import { createGatewayClient } from '@houmao/sdk';\n${program}`],
    {
      cwd: fileURLToPath(new URL('../../../../..', import.meta.url)),
      env: { PATH: process.env.PATH, TARGET: server.url, PROXY: proxy.url, ...variables, ...lower, ...env },
      // A program that its open connection kept alive fails here.
      timeout: 20_000,
    },
  );
  return { proxy, server };
}

describe('proxy variables are ignored', () => {
  test.each([
    [{}],
    [{ NODE_USE_ENV_PROXY: '1' }],
    [{ NODE_USE_ENV_PROXY: '1', HOUMAO_GATEWAY_RESPECT_PROXY_ENV: '0' }],
    [{ NODE_USE_ENV_PROXY: '1', HOUMAO_GATEWAY_RESPECT_PROXY_ENV: 'true' }],
    [{ NODE_USE_ENV_PROXY: '1', HOUMAO_GATEWAY_RESPECT_PROXY_ENV: '' }],
  ])('with %j', async (env) => {
    const { proxy, server } = await run(callBothDoors, env);
    expect(proxy.seen).toEqual([]);
    expect(server.received).toHaveLength(2);
  });

  test('also when the program has set a proxy for all of undici', async () => {
    const program = `
      import { fetch, ProxyAgent, setGlobalDispatcher } from 'undici';
      setGlobalDispatcher(new ProxyAgent(process.env.PROXY));
      await fetch(process.env.TARGET);
      ${callBothDoors}`;
    const { proxy, server } = await run(program, {});
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${server.port}`]);
    expect(server.received).toHaveLength(3);
  });

  // Without this control, the tests above would prove nothing: the trap has to be armed.
  // Older Nodes have no such variable: there is nothing to fall for.
  if (nodeHasTheTrap) {
    test('while Node’s own fetch falls for them', async () => {
      const { proxy, server } = await run('await (await fetch(process.env.TARGET)).text();', {
        NODE_USE_ENV_PROXY: '1',
      });
      expect(proxy.seen).toHaveLength(1);
      expect(server.received).toHaveLength(1);
    });
  }
});

describe('with HOUMAO_GATEWAY_RESPECT_PROXY_ENV=1', () => {
  const respect = { HOUMAO_GATEWAY_RESPECT_PROXY_ENV: '1' };

  test('both doors go through the proxy', async () => {
    const { proxy, server } = await run(callBothDoors, respect);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT 127.0.0.1:${server.port}`]));
    expect(server.received).toHaveLength(2);
  });

  test('NO_PROXY holds', async () => {
    const { proxy, server } = await run(callBothDoors, { ...respect, NO_PROXY: '127.0.0.1' });
    expect(proxy.seen).toEqual([]);
    expect(server.received).toHaveLength(2);
  });

  test('the client decides when it is made', async () => {
    const program = `
      const client = createGatewayClient({ baseUrl: process.env.TARGET });
      process.env.HOUMAO_GATEWAY_RESPECT_PROXY_ENV = '1';
      await client.getHealth();`;
    expect((await run(program, {})).proxy.seen).toEqual([]);
  });
});

test('a program that called once ends by itself, its connection still open on the other side', async () => {
  const { server } = await run(callBothDoors, {});
  expect(server.received).toHaveLength(2);
});
