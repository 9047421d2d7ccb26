import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compiledValidators } from '../../../src/http/compiled-validators.js';
import { keepSchemaErrors } from '../../../src/http/eov/keep-schema-errors.js';
import { resolveByPointer } from '../../../src/http/eov/resolve-by-pointer.js';
import { shareValidators, type ValidatorStore } from '../../../src/http/eov/share-validators.js';
import { skipDocumentCheck } from '../../../src/http/eov/skip-document-check.js';
import { type AjvParts, ValidatorRecorder } from '../../../src/http/validator-recorder.js';
import { freshValidator, serveWalls, smallContract } from './eov/fresh-validator.js';

const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.houmao-validators-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'small.cjs');

const bodies = ['{"name":"x"}', '{"name":""}', '{"name":5,"more":1}', '{}', '7', '{"name":"long","size":1}'];

/** What the walls say to every body, and how many schemas were compiled for it. */
async function verdicts(storeOf: (ajv: AjvParts) => ValidatorStore, document: object = smallContract) {
  const validator = freshValidator();
  for (const patch of [keepSchemaErrors, skipDocumentCheck, resolveByPointer]) patch(validator.internals);
  shareValidators(validator.internals, storeOf(validator.ajv));
  const ask = await serveWalls(validator.middleware(document));
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

test('a contract that changed since is compiled anew, and so is one without a file', async () => {
  const changed = structuredClone(smallContract);
  changed.components.schemas.Name.minLength = 2;
  const { errors, compiled } = await verdicts(() => compiledValidators(path), changed);
  expect(compiled).toBeGreaterThan(0);
  expect(errors[0][0]).toBe(400);
  expect((await verdicts(() => compiledValidators(join(tmpdir(), 'no-such.cjs')))).compiled).toBeGreaterThan(
    0,
  );
});

test('the build compiled every validator of the gateway', () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import core from 'ajv/dist/core.js';
    import { compiledValidators } from './dist/src/http/compiled-validators.js';
    import { contractWalls } from './dist/src/http/contract-walls.js';
    import { warmUp } from './dist/src/http/warm-up.js';
    const document = JSON.parse(readFileSync('generated/gateway/openapi.json', 'utf8'));
    const validators = compiledValidators(process.cwd() + '/dist/validators/gateway.cjs');
    const compile = core.default.prototype._compileSchemaEnv;
    let compiled = 0;
    core.default.prototype._compileSchemaEnv = function (environment) {
      if (!environment.validate) compiled += 1;
      return compile.call(this, environment);
    };
    await warmUp(document, contractWalls(document, () => true, { kind: 'report', report: console.error }, validators));
    console.log('compiled ' + compiled);`;
  // The one is express-openapi-validator's own: it looks a referenced parameter up by compiling it.
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect([run.stdout, run.stderr]).toEqual(['compiled 1\n', '']);
});
