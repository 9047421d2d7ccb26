import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../contract/support/ask.js';
import { newConsumer, root } from './consumer.js';
import { type SamplesGateway, startGatewayForSamples } from './samples-gateway.js';

const address = 'http://127.0.0.1:43123';
const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8');
const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code], index) => ({
  title: `sample ${index + 1}, line ${readme.slice(0, readme.indexOf(code!)).split('\n').length}`,
  name: `sample-${index + 1}`,
  code: code!,
}));

const consumer = newConsumer();
let gateway: SamplesGateway;

beforeAll(async () => {
  gateway = await startGatewayForSamples();
  // One sample shows what has been done already.
  const { body } = await ask(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'earlier' },
  });
  await ask(gateway.url, 'GET', `/v1/requests/${body.request_id}?wait_seconds=60`);
  mkdirSync(join(consumer.folder, 'node_modules/@houmao'), { recursive: true });
  symlinkSync(join(root, 'sdk'), join(consumer.folder, 'node_modules/@houmao/sdk'));
  for (const { name, code } of samples) {
    consumer.write(`${name}.ts`, code.replaceAll(address, gateway.url));
  }
  await consumer.compile();
}, 60_000);

afterAll(async () => {
  await gateway?.close();
  consumer.remove();
});

test('the README has samples', () => expect(samples.length).toBeGreaterThan(6));

test.each(samples)('README $title runs', { timeout: 60_000 }, async ({ name }) => {
  expect(await consumer.run(process.execPath, `${name}.js`)).not.toBe('');
});
