import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { newConsumer, root } from './consumer.js';

const consumer = newConsumer();
afterAll(() => consumer.remove());

/** Bytes that a page loads for a client, minified and compressed as web servers do. */
async function gzippedBytes(name: string, file: string): Promise<number> {
  consumer.write(`${name}.js`, `import { ${name} } from '@houmao/sdk'; globalThis.made = ${name};`);
  const bundle = await rolldown({
    input: join(consumer.folder, `${name}.js`),
    platform: 'browser',
    resolve: { alias: { '@houmao/sdk': join(root, 'sdk/dist', file) } },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return gzipSync(output[0].code).length;
}

test.each([
  ['createGatewayClient', 13, 'gateway/gateway-client.js'],
  // It has the gateway's client, too. The groups of operations (`mail.send`) took it over 14.5, by 0.1.
  ['createHoumaoClient', 15, 'managed-agent/houmao-client.js'],
])('%s is under %d kB in a page', async (name, kilobytes, file) => {
  const bytes = await gzippedBytes(name, file);
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(kilobytes * 1024);
});
