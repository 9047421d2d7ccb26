import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, type ModuleSetting, newConsumer, type Packed } from './consumer.js';
import { startGatewayForSamples } from './samples-gateway.js';
import { startServerForSamples } from './samples-server.js';

/** Everything public, used as programs do; CommonJS knows no `await` outside functions. */
const program = `
import { createGatewayClient, GatewayError, isGatewayError, PromptFailed } from '@houmao/sdk';
import type { CallOptions, GatewayClient, Schemas, SuccessBody } from '@houmao/sdk';
import { createHoumaoClient, HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import type { Agent } from '@houmao/sdk/managed-agent';
import { connect, ConnectFailed } from '@houmao/sdk/node';
import { createFakeGateway, createFakeServer } from '@houmao/sdk/testing';

async function main(): Promise<void> {
  const alpha: Agent = createHoumaoClient({ baseUrl: SERVER }).agent('alpha');
  console.log(await alpha.prompt('Hello'), TurnFailed.prototype instanceof HoumaoError);
  const client: GatewayClient = createGatewayClient({ baseUrl: GATEWAY });
  const options: CallOptions<'listRequests'> = { query: { limit: 1 } };
  const health: SuccessBody<'getHealth'> = await client.getHealth();
  const first: Schemas['RequestRecord'] | undefined = (await client.listRequests(options)).requests[0];
  const refused = await client.getRequest({ path: { request_id: 'gwreq-20260313-000000Z-00000bad' } }).catch((error: unknown) => error);
  const { data } = await client.GET('/v1/status');
  console.log(health.status, await client.prompt('Hello'), data?.request_admission, first?.state);
  console.log(isGatewayError(refused) && refused.status, PromptFailed.prototype instanceof GatewayError);
  const found: GatewayClient = await connect({ agent: 'alpha' });
  const none = await connect({ agent: 'nobody' }).catch((error: unknown) => error);
  console.log(await found.prompt('By name'), none instanceof ConnectFailed && none.errorCode);
  const fake = createFakeGateway();
  fake.answerPrompts((prompt) => 'Fake ' + prompt);
  console.log(await createGatewayClient(fake).prompt('Hello'));
  console.log(await createHoumaoClient(createFakeServer()).agent('alpha').prompt('Hello'));
  // @ts-expect-error the contract is checked here too
  await client.getRequest({ path: {} }).catch(() => undefined);
  // @ts-expect-error and here
  await client.GET('/v1/nowhere').catch(() => undefined);
}
void main();
`;

const environment: NodeJS.ProcessEnv = {};
const consumers = [newConsumer('module', environment), newConsumer('commonjs', environment)] as const;
const [modules, commonjs] = consumers;
let packed: Packed;
let here: string;
let close: () => Promise<void>;

beforeAll(async () => {
  [packed] = await Promise.all([modules.installSdk(), commonjs.installSdk()]);
  const gateway = await startGatewayForSamples();
  environment.HOUMAO_GLOBAL_REGISTRY_DIR = gateway.registryRoot;
  const server = await startServerForSamples();
  close = async () => {
    await gateway.close();
    await server.close();
  };
  const addresses = { GATEWAY: gateway.url, SERVER: server.url };
  here = program.replace(/GATEWAY|SERVER/g, (name) =>
    JSON.stringify(addresses[name as keyof typeof addresses]),
  );
}, 120_000);

afterAll(async () => {
  await close?.();
  for (const consumer of consumers) consumer.remove();
});

// Ten of them are comments: editors show those of an operation at its short name only where they are written there again.
test('the package holds what is needed, and nothing else, in at most 320 kB', () => {
  expect(packed.size).toBeLessThanOrEqual(320_000);
  const paths = packed.files.map(({ path }) => path);
  const entries = [
    ...['dist/gateway/gateway-client', 'dist/managed-agent/houmao-client'],
    ...['dist/node/connect', 'dist/testing/kit', 'dist/webhooks/verify-webhook'],
  ];
  const each = ['js', 'cjs', 'd.ts', 'd.cts'];
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['package.json', 'README.md', 'dist/core/transport/node.js', 'dist/core/transport/web.js'],
      ...entries.flatMap((entry) => each.map((end) => `${entry}.${end}`)),
    ]),
  );
  const expected =
    /^(package\.json|README\.md|LICENSE|dist\/generated\/[\w-]+\/types\/package\.json|dist\/.*\.(js|cjs|d\.ts|d\.cts))$/;
  expect(paths.filter((path) => !expected.test(path))).toEqual([]);
});

async function compileAndRun(consumer: Consumer, module: ModuleSetting): Promise<void> {
  consumer.write('index.ts', here);
  await consumer.compile(module);
  const printed = await consumer.run(process.execPath, 'index.js');
  expect(printed).toMatch(
    /^.*Hello.* true\nok .*Hello.* open \w+\n404 true\n.*By name.* unknown_agent\nFake Hello\nHello!\n$/,
  );
}

test.each(['node16', 'nodenext'] as const)(
  'ES modules that TypeScript compiles under %s work with it',
  { timeout: 120_000 },
  (module) => compileAndRun(modules, module),
);

test.each(['node10', 'node16', 'nodenext'] as const)(
  'CommonJS modules that TypeScript compiles under %s work with it',
  { timeout: 120_000 },
  (module) => compileAndRun(commonjs, module),
);

test('CommonJS loads no ES module, as Jest and older versions of Node cannot', async () => {
  const program = `
for (const name of ['@houmao/sdk', '@houmao/sdk/managed-agent', '@houmao/sdk/node', '@houmao/sdk/testing', '@houmao/sdk/webhooks']) require(name);
const ours = Object.keys(require.cache).filter((path) => path.includes('@houmao'));
console.log(ours.length > 20, ours.filter((path) => !path.endsWith('.cjs')));
`;
  commonjs.write('loads.cjs', program);
  expect(await commonjs.run(process.execPath, 'loads.cjs')).toBe('true []\n');
});
