// The READMEs say how to get the SDK without a registry; here their commands are run as they stand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newConsumer, root } from './consumer.js';

/** The command blocks of a document that install the SDK. */
function blocksOf(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands!);
  return blocks.filter((commands) => /^.*npm install .*(houmao-sdk|\/sdk)/m.test(commands));
}

const ways = ['docs/clients.md', 'sdk/README.md'].flatMap((document) =>
  blocksOf(document).map((commands, index) => ({ title: `${document}, block ${index + 1}`, commands })),
);

test('the READMEs show a file and a checkout', () => {
  expect(ways.map(({ title }) => title)).toEqual([
    'docs/clients.md, block 1',
    'sdk/README.md, block 1',
    'sdk/README.md, block 2',
  ]);
});

const withFake = `import { createGatewayClient } from '@houmao/sdk';
import { createFakeGateway } from '@houmao/sdk/testing';
const answer: string = await createGatewayClient(createFakeGateway()).prompt('Hello');
console.log(answer);
`;
const alone = `import { createGatewayClient } from '@houmao/sdk';
const fetch = async () => Response.json({ status: 'Hello!', protocol_version: 'v1' });
const { status }: { status: string } = await createGatewayClient({ baseUrl: 'http://127.0.0.1:1', fetch }).GET('/health').then(
  ({ data }) => data ?? { status: 'none' },
);
console.log(status);
`;

test.each(ways)('$title: the SDK is there, with its types', { timeout: 120_000 }, async ({ commands }) => {
  const consumer = newConsumer();
  onTestFinished(() => consumer.remove());
  const here = commands
    .replaceAll('/path/to/houmao-gateway', root)
    .replaceAll('~/my-project', consumer.folder)
    // The run of the tests has done both, and other tests use what they made.
    .replace(/^npm (ci|run build)$/gm, '');
  await consumer.run('sh', '-ec', `cd ${root}\n${here}`);
  consumer.write('index.ts', commands.includes('sdk-testing') ? withFake : alone);
  await consumer.compile();
  expect(await consumer.run(process.execPath, 'index.js')).toBe('Hello!\n');
});
