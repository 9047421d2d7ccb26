import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { newConsumer, type Packed } from '../e2e/sdk/consumer.js';
import { startGatewayForSamples } from '../e2e/sdk/samples-gateway.js';

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
/** The same as a worker: it answers a call with what the programs print. */
const workerOf = (url: string) => `
import { createGatewayClient, isGatewayError } from '@houmao/sdk';
export default {
  async fetch() {
    const client = createGatewayClient({ baseUrl: ${JSON.stringify(url)} });
    const record = await (await client.submit('Hello from here')).record();
    const refused = await client.getTurn({ path: { turn_id: 'turn-none' } }).catch((error) => error);
    const answer = await client.prompt('Hello from here');
    return new Response([answer, record.request_kind, isGatewayError(refused, 'getTurn') && refused.errorCode].join(' ') + '\\n');
  },
};
`;
/** Without the outside: a worker reaches only what the configuration names, here this machine. */
const workerdConfig = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Starts the worker of a folder for one test. @returns its port. @throws Error when it ends before it listens. */
async function startWorkerd(program: string, folder: string): Promise<number> {
  const child: ChildProcess = spawn(program, ['serve', 'workerd.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const failed = ended.then(([code]) => {
    throw new Error(`workerd ended with ${code} before it listened`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), failed])) as [string];
  return (JSON.parse(line) as { port: number }).port;
}

const reported = /Hello from here.* submit_prompt unknown_turn\n$/;

beforeAll(async () => {
  tools = nodeEnvironment(
    'runtimes',
    {
      dependencies: {
        ...Object.fromEntries(versions.map((major) => [`node${major}`, nodeFor(major)])),
        bun: '1.4.5',
        deno: '2.9.6',
        workerd: '1.20260730.1',
        '@arethetypeswrong/cli': '0.18.5',
        publint: '0.3.25',
        jest: '30.5.2',
      },
    },
    { runScripts: true },
  );
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

describe('workerd', () => {
  test('a worker prompts by the packed SDK, and knows its errors', async () => {
    modules.write('entry.js', workerOf(gateway.url));
    const bundle = await rolldown({
      input: join(modules.folder, 'entry.js'),
      platform: 'browser',
      resolve: { conditionNames: ['workerd', 'worker', 'import', 'default'] },
    });
    await bundle.write({ file: join(modules.folder, 'worker.js'), format: 'esm' });
    await bundle.close();
    modules.write('workerd.capnp', workerdConfig);
    const port = await startWorkerd(bin('workerd'), modules.folder);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toMatch(reported);
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
