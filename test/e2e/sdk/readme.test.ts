import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../contract/support/ask.js';
import { newConsumer, root } from './consumer.js';
import { type SamplesGateway, startGatewayForSamples } from './samples-gateway.js';
import { type SamplesServer, startServerForSamples } from './samples-server.js';

const addresses = { gateway: 'http://127.0.0.1:43123', server: 'http://127.0.0.1:9889' };
const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8');
const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code], index) => ({
  title: `sample ${index + 1}, line ${readme.slice(0, readme.indexOf(code!)).split('\n').length}`,
  name: `sample-${index + 1}`,
  code: code!,
}));

const environment: NodeJS.ProcessEnv = {};
const consumer = newConsumer('module', environment);
let gateway: SamplesGateway;
let server: SamplesServer;

beforeAll(async () => {
  gateway = await startGatewayForSamples();
  environment.HOUMAO_GLOBAL_REGISTRY_DIR = gateway.registryRoot;
  server = await startServerForSamples();
  // One sample shows what has been done already.
  const { body } = await ask(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'earlier' },
  });
  await ask(gateway.url, 'GET', `/v1/requests/${body.request_id}?wait_seconds=60`);
  mkdirSync(join(consumer.folder, 'node_modules/@houmao'), { recursive: true });
  symlinkSync(join(root, 'sdk'), join(consumer.folder, 'node_modules/@houmao/sdk'));
  for (const { name, code } of samples) {
    const here = code
      .replaceAll(addresses.gateway, gateway.url)
      .replaceAll(addresses.server, server.url)
      .replaceAll('/path/to/houmao-gateway', root);
    consumer.write(`${name}.ts`, here);
  }
  await consumer.compile();
}, 60_000);

afterAll(async () => {
  await gateway?.close();
  await server?.close();
  consumer.remove();
});

test('the README has samples of both', () => {
  const samplesOf = (address: string) => samples.filter(({ code }) => code.includes(address)).length;
  expect([samplesOf(addresses.gateway) > 6, samplesOf(addresses.server) > 3]).toEqual([true, true]);
});

test.each(samples)('README $title runs', { timeout: 60_000 }, async ({ name }) => {
  expect(await consumer.run(process.execPath, `${name}.js`)).not.toBe('');
});
