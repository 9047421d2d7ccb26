import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newConsumer, type Packed } from '../e2e/sdk/consumer.js';
import { startGatewayForSamples } from '../e2e/sdk/samples-gateway.js';
import { npmTools } from './npm-tools.js';

/** The packages have a name for each platform. */
const nodeFor = (major: number) => `npm:node-${process.platform}-${process.arch}@${major}`;
const versions = [20, 22, 24] as const;
const modules = newConsumer('module');
const commonjs = newConsumer('commonjs');
let tools: string;
let packed: Packed;
let gateway: Awaited<ReturnType<typeof startGatewayForSamples>>;

/** A typed prompt, its answer, and an error's class, which a second copy of the SDK would not know. */
const body = (url: string) => `
async function main(): Promise<void> {
  const client: GatewayClient = createGatewayClient({ baseUrl: ${JSON.stringify(url)} });
  const record: Schemas['RequestRecord'] = await (await client.submit('Hello from here')).record();
  const refused: unknown = await client.getTurn({ path: { turn_id: 'turn-none' } }).catch((error: unknown) => error);
  console.log(await client.prompt('Hello from here'), record.request_kind, isGatewayError(refused, 'getTurn') && refused.errorCode);
}
main().catch((error: unknown) => {
  console.log(error);
  throw error;
});
`;
const imports = `
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import type { GatewayClient, Schemas } from '@houmao/sdk';
`;
const reported = /Hello from here.* submit_prompt unknown_turn\n$/;

beforeAll(async () => {
  tools = npmTools('runtimes', {
    ...Object.fromEntries(versions.map((major) => [`node${major}`, nodeFor(major)])),
    bun: '1.4.5',
    deno: '2.9.6',
    '@arethetypeswrong/cli': '0.18.5',
    publint: '0.3.25',
    jest: '30.5.2',
  });
  gateway = await startGatewayForSamples();
  for (const consumer of [modules, commonjs]) {
    packed = await consumer.installSdk();
    consumer.write('index.ts', imports + body(gateway.url));
    await consumer.compile('node16');
  }
});
afterAll(async () => {
  await gateway?.close();
  modules.remove();
  commonjs.remove();
});

const bin = (name: string) => join(tools, '.bin', name);

describe.each(versions)('Node %s', (major) => {
  const node = () => join(tools, `node${major}/bin/node`);

  test('is that version', async () => {
    expect(await modules.run(node(), '--version')).toMatch(new RegExp(`^v${major}\\.`));
  });

  test.each([
    ['import', modules],
    ['require', commonjs],
  ])('a typed prompt is answered by the packed SDK, which it has by %s', async (_how, consumer) => {
    expect(await consumer.run(node(), 'index.js')).toMatch(reported);
  });
});

describe('Bun', () => {
  test.each([
    ['an ES module', modules],
    ['CommonJS', commonjs],
  ])('a typed prompt is answered by the packed SDK: TypeScript as it is, in %s', async (_how, consumer) => {
    expect(await consumer.run(bin('bun'), 'run', 'index.ts')).toMatch(reported);
    expect(await consumer.run(bin('bun'), 'run', 'index.js')).toMatch(reported);
  });

  // Its own stand-in for `undici` would ask the proxy (https://github.com/oven-sh/bun/issues/38840).
  test('proxy variables are ignored there, too', async () => {
    const proxies = ['HTTP_PROXY=http://127.0.0.1:9', 'http_proxy=http://127.0.0.1:9', 'NO_PROXY='];
    expect(await modules.run('env', ...proxies, bin('bun'), 'run', 'index.js')).toMatch(reported);
  });
});

describe('Deno', () => {
  const allowed = ['--allow-net=127.0.0.1', '--allow-env'];

  test('a typed prompt is answered by the packed SDK: TypeScript as it is, which Deno checks itself', async () => {
    expect(await modules.run(bin('deno'), 'run', '--check', ...allowed, 'index.ts')).toMatch(reported);
  });

  test('a typed prompt is answered by the packed SDK, which CommonJS requires', async () => {
    expect(await commonjs.run(bin('deno'), 'run', ...allowed, '--allow-read', 'index.js')).toMatch(reported);
  });
});

test('Jest, which requires no ES module, has the gateway in memory', async () => {
  commonjs.write(
    'fake.test.js',
    `const { createGatewayClient } = require('@houmao/sdk');
const { createFakeGateway } = require('@houmao/sdk/testing');
test('a prompt', async () => {
  const fake = createFakeGateway();
  fake.answerPrompts('Done.');
  expect(await createGatewayClient(fake).prompt('Hello')).toBe('Done.');
  expect(fake.calls.map(({ operationId }) => operationId)).toEqual(['submitRequest', 'getRequest']);
});
`,
  );
  // It fails where a test does, or where there is none.
  const cache = join(commonjs.folder, '.jest');
  await commonjs.run(bin('jest'), '--ci', '--no-watchman', '--cacheDirectory', cache);
});

describe('the package, as others look at it', () => {
  test('its types are those of its modules, for every way to find them', async () => {
    await modules.run(bin('attw'), packed.filename);
  });

  test('its package.json leads to what is there', async () => {
    expect(await modules.run(bin('publint'), 'run', packed.filename, '--strict')).toContain('All good!');
  });
});
