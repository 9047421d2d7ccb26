import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newConsumer } from '../e2e/sdk/consumer.js';
import { startGatewayForSamples } from '../e2e/sdk/samples-gateway.js';
import { npmTools } from './npm-tools.js';

// A program for Node that is one file: the SDK is in it, and nothing is beside it when it runs.

const program = newConsumer('module');
let tools: string;
let gateway: Awaited<ReturnType<typeof startGatewayForSamples>>;

const entry = (url: string) => `
import { createGatewayClient } from '@houmao/sdk';
import { connect } from '@houmao/sdk/node';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
const client = createGatewayClient({ baseUrl: ${JSON.stringify(url)} });
console.log(typeof connect, typeof createHoumaoClient);
client.prompt('Hello from a bundle').then((answer) => console.log(answer));
`;
const answered = /^function function\n.*Hello from a bundle/s;

beforeAll(async () => {
  tools = npmTools('bundlers', {
    bun: '1.4.5',
    esbuild: '0.28.2',
    vite: '8.3.8',
    webpack: '5.113.0',
    'webpack-cli': '7.3.1',
    rollup: '4.68.8',
    '@rollup/plugin-node-resolve': '16.0.3',
    '@rollup/plugin-commonjs': '29.0.3',
  });
  gateway = await startGatewayForSamples();
  await program.installSdk();
  program.write('entry.mjs', entry(gateway.url));
  program.write('plain-undici.mjs', `import { fetch } from 'undici';\nconsole.log(typeof fetch);\n`);
});
afterAll(async () => {
  await gateway?.close();
  program.remove();
});

const bin = (name: string) => join(tools, '.bin', name);
type Format = 'esm' | 'cjs';
const fileOf = (format: Format): string => (format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');

/** Each writes the bundle into the folder it is given. */
const bundlers: Readonly<Record<string, (format: Format, folder: string) => Promise<unknown>>> = {
  esbuild: (format, folder) => esbuild('entry.mjs', format, join(folder, fileOf(format))),
  rollup: (format, folder) => {
    program.write(
      'rollup.config.mjs',
      `import resolve from '${tools}/@rollup/plugin-node-resolve/dist/es/index.js';
import commonjs from '${tools}/@rollup/plugin-commonjs/dist/es/index.js';
export default {
  input: 'entry.mjs',
  plugins: [resolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs()],
  output: { file: ${JSON.stringify(join(folder, fileOf(format)))}, format: '${format}', inlineDynamicImports: true },
};`,
    );
    return program.run(bin('rollup'), '--config', '--silent');
  },
  webpack: (format, folder) => {
    const output =
      format === 'esm'
        ? `experiments: { outputModule: true }, output: { path: '${folder}', filename: 'bundle.mjs', module: true, library: { type: 'module' }, chunkFormat: 'module' }`
        : `output: { path: '${folder}', filename: 'bundle.cjs', library: { type: 'commonjs2' } }`;
    program.write(
      'webpack.config.cjs',
      `module.exports = { mode: 'production', target: 'node20', entry: './entry.mjs', ${output} };`,
    );
    return program.run(bin('webpack'), '--config', 'webpack.config.cjs');
  },
  Vite: (format, folder) => {
    program.write(
      'vite.config.mjs',
      `export default { logLevel: 'error', ssr: { noExternal: true }, build: { ssr: 'entry.mjs', outDir: '${folder}',
  rollupOptions: { output: { format: '${format}', entryFileNames: '${fileOf(format)}', codeSplitting: false } } } };`,
    );
    return program.run(bin('vite'), 'build');
  },
  Bun: (format, folder) =>
    program.run(
      bin('bun'),
      ...[
        'build',
        'entry.mjs',
        '--target=node',
        `--format=${format}`,
        `--outfile=${join(folder, fileOf(format))}`,
      ],
    ),
};

const esbuild = (input: string, format: Format, out: string): Promise<string> =>
  program.run(
    bin('esbuild'),
    ...[input, '--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`, '--log-level=error'],
  );

/** A folder in which nothing can be found but what is put there. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.each(Object.keys(bundlers))('%s', (name) => {
  test.each(['esm', 'cjs'] as const)(
    'makes one file for Node of a program with the SDK, as %s',
    async (format) => {
      const folder = emptyFolder();
      await bundlers[name]?.(format, folder);
      expect(await program.run(process.execPath, join(folder, fileOf(format)))).toMatch(answered);
    },
  );
});

test('the file that Bun makes for itself runs on Bun', async () => {
  const file = join(emptyFolder(), 'bundle.mjs');
  await program.run(bin('bun'), 'build', 'entry.mjs', '--target=bun', `--outfile=${file}`);
  expect(await program.run(bin('bun'), 'run', file)).toMatch(answered);
});

test('esbuild makes no ES module of undici as it is published: the SDK needs its own copy', async () => {
  cpSync(join(process.cwd(), 'node_modules/undici'), join(program.folder, 'node_modules/undici'), {
    recursive: true,
  });
  const file = join(emptyFolder(), 'bundle.mjs');
  await esbuild('plain-undici.mjs', 'esm', file);
  await expect(program.run(process.execPath, file)).rejects.toThrow('Dynamic require of "node:assert"');
});
