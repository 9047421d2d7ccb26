import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newConsumer, root } from './consumer.js';
import { startGatewayForSamples } from './samples-gateway.js';
import { startServerForSamples } from './samples-server.js';

interface Packed {
  filename: string;
  files: { path: string }[];
}

const program = `
import { createGatewayClient, GatewayError, isGatewayError, PromptFailed } from '@houmao/sdk';
import type { CallOptions, GatewayClient, Schemas, SuccessBody } from '@houmao/sdk';

import { createHoumaoClient, HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import type { Agent } from '@houmao/sdk/managed-agent';

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
// @ts-expect-error the contract is checked here too
await client.getRequest({ path: {} }).catch(() => undefined);
`;

const consumer = newConsumer();
let packed: Packed;

beforeAll(async () => {
  const printed = await consumer.run(
    'npm',
    'pack',
    join(root, 'sdk'),
    '--json',
    '--pack-destination',
    consumer.folder,
  );
  packed = (JSON.parse(printed) as Packed[])[0]!;
}, 60_000);

afterAll(() => consumer.remove());

test('the package holds what is needed, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'dist/gateway/gateway-client.d.ts',
      'dist/managed-agent/houmao-client.d.ts',
    ]),
  );
  expect(paths).toEqual(
    expect.arrayContaining(['dist/core/transport/node.js', 'dist/core/transport/web.js']),
  );
  const expected = /^(package\.json|README\.md|LICENSE|dist\/.*\.(js|js\.map|d\.ts))$/;
  expect(paths.filter((path) => !expected.test(path))).toEqual([]);
});

test('it installs into an empty project, type-checks there and works', { timeout: 120_000 }, async () => {
  const gateway = await startGatewayForSamples();
  const server = await startServerForSamples();
  try {
    const tarball = `./${packed.filename}`;
    await consumer.run('npm', 'install', tarball, '--no-audit', '--no-fund', '--prefer-offline');
    const addresses = { GATEWAY: gateway.url, SERVER: server.url };
    const here = program.replace(/GATEWAY|SERVER/g, (name) =>
      JSON.stringify(addresses[name as keyof typeof addresses]),
    );
    consumer.write('index.ts', here);
    await consumer.compile();
    const printed = await consumer.run(process.execPath, 'index.js');
    expect(printed).toMatch(/^.*Hello.* true\nok .*Hello.* open \w+\n404 true\n$/);
  } finally {
    await gateway.close();
    await server.close();
  }
});
