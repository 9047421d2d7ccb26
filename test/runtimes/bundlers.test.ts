import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { newConsumer } from '../e2e/sdk/consumer.js';
import { startGatewayForSamples } from '../e2e/sdk/samples-gateway.js';

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
  tools = nodeEnvironment(
    'bundlers',
    {
      dependencies: {
        bun: '1.4.5',
        esbuild: '0.28.2',
        vite: '8.3.8',
        webpack: '5.113.0',
        'webpack-cli': '7.3.1',
        rollup: '4.68.8',
        '@rollup/plugin-node-resolve': '16.0.3',
        '@rollup/plugin-commonjs': '29.0.3',
      },
    },
    { runScripts: true },
  );
  gateway = await startGatewayForSamples();
  await program.installSdk();
  program.write('entry.mjs', entry(gateway.url));
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

const esbuild = (format: Format, out: string, ...flags: string[]): Promise<string> =>
  program.run(
    bin('esbuild'),
    ...['entry.mjs', '--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`],
    ...['--log-level=error', ...flags],
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

const rollup = (format: Format, file: string, external: readonly string[]): Promise<string> => {
  program.write(
    'rollup.config.mjs',
    `import resolve from '${tools}/@rollup/plugin-node-resolve/dist/es/index.js';
import commonjs from '${tools}/@rollup/plugin-commonjs/dist/es/index.js';
export default {
  input: 'entry.mjs',
  external: ${JSON.stringify(external)},
  plugins: [resolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs()],
  output: { file: ${JSON.stringify(file)}, format: '${format}', inlineDynamicImports: true },
};`,
  );
  return program.run(bin('rollup'), '--config', '--silent');
};

// Some parts of undici do not fit into their files. When esbuild's test fails at `rejects`, sdk/README.md can stop naming it.
describe('with undici left outside', () => {
  test('esbuild makes an ES module, and none that runs with it (evanw/esbuild#1921)', async () => {
    const whole = join(emptyFolder(), 'bundle.mjs');
    await esbuild('esm', whole);
    await expect(program.run(process.execPath, whole)).rejects.toThrow('Dynamic require of "node:assert"');
    const beside = join(program.folder, 'bundle.mjs');
    await esbuild('esm', beside, '--external:undici/index.js');
    expect(await program.run(process.execPath, beside)).toMatch(answered);
  });

  test.each(['esm', 'cjs'] as const)(
    'rollup makes one file as %s: it would require node:sqlite of undici at once, which Node 20 lacks',
    async (format) => {
      const beside = join(program.folder, fileOf(format));
      await rollup(format, beside, ['undici/index.js']);
      expect(await program.run(process.execPath, beside)).toMatch(answered);
    },
  );
});

test('esbuild makes one CommonJS file for Node of a program with the SDK', async () => {
  const file = join(emptyFolder(), 'bundle.cjs');
  await esbuild('cjs', file);
  expect(await program.run(process.execPath, file)).toMatch(answered);
});
