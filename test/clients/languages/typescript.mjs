import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeEnvironment } from '../../../scripts/tools/node-environment.mjs';
import { generatorVersion } from '../../../scripts/tools/openapi-generator.mjs';
import { runBin, runCommand } from '../../../scripts/tools/run-command.mjs';
import { basicChecks, byOpenApiGenerator, documentOf, olderDocumentOf } from '../language.mjs';

const files = (name) => join('test/clients/typescript', name);
const manifest = (name) => JSON.parse(readFileSync(join(files(name), 'package.json'), 'utf8'));
const pins = (name) => manifest(name).devDependencies;

/** Strict, and as bundlers find modules: the generators leave the ends of file names out. */
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom'],
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
};

/** A client in TypeScript: what its generator needs and what its caller needs is pinned in its package.json. */
const typescript = (name, own) => ({
  name,
  reads: '/openapi.json',
  shows: 'basic',
  checks: basicChecks,
  programs: ['npm'],
  compile(client, surface, say) {
    const packages = nodeEnvironment(name, manifest(name), { say });
    symlinkSync(packages, join(client, 'node_modules'));
    cpSync(join(files(name), `${surface}.ts`), join(client, 'call.ts'));
    cpSync('test/clients/typescript/check.ts', join(client, 'check.ts'));
    writeFileSync(join(client, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(client, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['call.ts', 'client*'] }),
    );
    runCommand(join(packages, '.bin', 'tsc'), ['-p', client]);
    const program = join(client, 'call.mjs');
    runBin(
      'rolldown',
      join(client, 'call.ts'),
      '--file',
      program,
      '--platform',
      'node',
      '--log-level',
      'silent',
    );
    return { command: process.execPath, args: [program], environment: {} };
  },
  ...own,
});

/** Makes the folder of a client, and runs its generator there. */
const generated = (name, args) => (surface, work, say) => {
  const client = join(work, `${name}-${surface}`);
  mkdirSync(client);
  const [program, ...rest] = args(surface, client, work);
  runCommand(join(nodeEnvironment(name, manifest(name), { say }), '.bin', program), rest, {
    cwd: client,
  });
  return client;
};

/** @type {import('../language.mjs').Language} */
export const typescriptFetch = typescript('typescript-fetch', {
  tool: () => `openapi-generator typescript-fetch ${generatorVersion()}`,
  reads: '/openapi-3.0.json',
  generate(surface, work) {
    const client = join(work, `client-in-typescript-${surface}`);
    mkdirSync(client);
    cpSync(byOpenApiGenerator('typescript-fetch', () => ({}))(surface, work), join(client, 'client'), {
      recursive: true,
    });
    return client;
  },
});

/** @type {import('../language.mjs').Language} */
export const heyApi = typescript('hey-api', {
  tool: () => `@hey-api/openapi-ts ${pins('hey-api')['@hey-api/openapi-ts']}, zod ${pins('hey-api').zod}`,
  generate: generated('hey-api', (surface, _client, work) => {
    const plugins = ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript', 'zod'];
    return ['openapi-ts', '-i', documentOf(surface, work), '-o', 'client', '-p', ...plugins, '--no-log-file'];
  }),
});

/** @type {import('../language.mjs').Language} */
export const orval = typescript('orval', {
  tool: () => `orval ${pins('orval').orval}, zod ${pins('orval').zod}`,
  generate: generated('orval', (surface, client, work) => {
    const input = documentOf(surface, work);
    const fetching = { client: 'fetch', mode: 'split', target: 'client/client.ts', schemas: 'client/model' };
    const configuration = {
      client: { input, output: fetching },
      zod: { input, output: { client: 'zod', mode: 'split', target: 'client/zod.ts' } },
    };
    writeFileSync(join(client, 'orval.config.cjs'), `module.exports = ${JSON.stringify(configuration)};`);
    return ['orval', '--config', 'orval.config.cjs'];
  }),
});

/** @type {import('../language.mjs').Language} */
export const openapiZodClient = typescript('openapi-zod-client', {
  tool: () => `openapi-zod-client ${pins('openapi-zod-client')['openapi-zod-client']}`,
  // It does not read `const`, so no variant of a union has its word: github.com/astahmer/openapi-zod-client/issues/326.
  reads: '/openapi-3.0.json',
  generate: generated('openapi-zod-client', (surface, _client, work) => [
    'openapi-zod-client',
    olderDocumentOf(surface, work),
    '-o',
    'client.ts',
  ]),
});
