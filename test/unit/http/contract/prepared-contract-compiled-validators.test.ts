import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ValidatorStore } from '../../../../src/http/contract/eov/share-validators.js';
import {
  compiledValidators,
  prepareContract,
  preparedContract,
  preparedFiles,
} from '../../../../src/http/contract/prepared-contract.js';
import { type AjvParts, ValidatorRecorder } from '../../../../src/http/contract/validator-recorder.js';
import { freshValidator, serveWalls, smallContract } from './eov/fresh-validator.js';

// Below the packages: what is compiled requires ajv.
const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.houmao-validators-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'small.cjs');

const bodies = ['{"name":"x"}', '{"name":""}', '{"name":5,"more":1}', '{}', '7', '{"name":"long","size":1}'];

/** The answers of the checks to every body, and how many schemas were compiled for it. */
async function verdicts(storeOf: (ajv: AjvParts) => ValidatorStore, document: object = smallContract) {
  const validator = freshValidator();
  const ask = await serveWalls(validator.checks(document, storeOf(validator.ajv)));
  const seen = [];
  for (const body of bodies) seen.push(await ask('POST', '/a', body));
  for (const limit of ['5', '0', 'x']) seen.push(await ask('GET', `/list?limit=${limit}`));
  const errors = seen.map(({ status, error }) => [status, error?.errors ?? null]);
  return { errors: JSON.parse(JSON.stringify(errors)), compiled: validator.compilations() };
}

test('validators that were compiled ahead say the same, and nothing is compiled', async () => {
  let recorder: ValidatorRecorder | undefined;
  const live = await verdicts((ajv) => {
    recorder = new ValidatorRecorder(ajv);
    return recorder;
  });
  expect(live.compiled).toBeGreaterThan(0);
  expect(new Set(live.errors.map(([status]: [number]) => status))).toEqual(new Set([200, 400]));
  writeFileSync(path, recorder?.text() ?? '');
  expect(await verdicts(() => compiledValidators(path))).toEqual({ errors: live.errors, compiled: 0 });
});

test('a contract that changed since is compiled again, and so is one without a file', async () => {
  const changed = structuredClone(smallContract);
  changed.components.schemas.Name.minLength = 2;
  const { errors, compiled } = await verdicts(() => compiledValidators(path), changed);
  expect(compiled).toBeGreaterThan(0);
  expect(errors[0][0]).toBe(400);
  const without = await verdicts(() => compiledValidators(join(tmpdir(), 'no-such.cjs')));
  expect(without.compiled).toBeGreaterThan(0);
});

test('the build prepared the gateway and compiled every one of its validators', () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import core from 'ajv/dist/core.js';
    import { compiledValidators } from './dist/src/http/contract/prepared-contract.js';
    import { ContractChecks } from './dist/src/http/contract/contract-checks.js';
    import { preparedContract } from './dist/src/http/contract/prepared-contract.js';
    const compile = core.default.prototype._compileSchemaEnv;
    let compiled = 0;
    core.default.prototype._compileSchemaEnv = function (environment) {
      if (!environment.validate) compiled += 1;
      return compile.call(this, environment);
    };
    const folder = process.cwd() + '/dist/validators/gateway/';
    const contract = preparedContract(readFileSync('generated/gateway/openapi.json', 'utf8'), folder);
    const checks = new ContractChecks(contract, { kind: 'throw' }, compiledValidators(folder + 'validators.cjs'));
    for (const [method, path] of checks.all()) checks.operation(method, path).prepare();
    console.log(checks.all().length > 30, 'compiled', compiled);`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect([run.stdout, run.stderr]).toEqual(['true compiled 0\n', '']);
});

/** Runs the build's step for the surfaces of a folder. */
function compile(surfaces: Record<string, object>): { status: number | null; stderr: string; out: string } {
  const source = mkdtempSync(join(folder, 'surfaces-'));
  for (const [name, document] of Object.entries(surfaces)) {
    mkdirSync(join(source, name));
    writeFileSync(join(source, name, 'openapi.json'), JSON.stringify(document));
  }
  const out = join(source, '..', 'out');
  const run = spawnSync(process.execPath, ['scripts/build/compile-validators.mjs', source, out], {
    encoding: 'utf8',
  });
  return { status: run.status, stderr: run.stderr, out };
}

test('the build takes every surface that it finds', () => {
  const other = structuredClone(smallContract);
  other.components.schemas.Name.minLength = 2;
  const { status, stderr, out } = compile({ one: smallContract, other });
  expect([status, stderr]).toEqual([0, '']);
  for (const [name, document] of [
    ['one', smallContract],
    ['other', other],
  ] as const) {
    const text = JSON.stringify(document);
    const prepared = preparedContract(text, join(out, name));
    expect(prepared).toEqual(JSON.parse(JSON.stringify(prepareContract(text))));
    expect(readFileSync(join(out, name, preparedFiles.validators), 'utf8')).toContain('exports');
  }
  // A contract that was prepared of another document is not taken.
  cpSync(join(out, 'one'), join(out, 'stale'), { recursive: true });
  const changed = JSON.stringify(other);
  expect(preparedContract(changed, join(out, 'stale')).version).toBe(prepareContract(changed).version);
});

test('the build ends at a contract whose own examples break it, and names them', () => {
  const bad = structuredClone(smallContract);
  const media = bad.paths['/a'].post.requestBody.content['application/json'];
  Object.assign(media, { example: { name: 5 } });
  const { status, stderr } = compile({ bad });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/bad\/openapi\.json contradicts itself:\na: .*name/),
  ]);
});
