import { expect, test } from 'vitest';
import type { Internals } from '../../../../src/http/eov/internals.js';
import { keepSchemaErrors } from '../../../../src/http/eov/keep-schema-errors.js';
import { shareValidators, type ValidatorStore } from '../../../../src/http/eov/share-validators.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

const empty: ValidatorStore = { shelfFor: () => ({ find: () => undefined, made: () => undefined }) };

async function compiledForTwin(patch: (internals: Internals) => void): Promise<number> {
  const validator = freshValidator();
  patch(validator.internals);
  const ask = await serveWalls(validator.middleware(smallContract));
  expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(200);
  const before = validator.compilations();
  expect(before).toBeGreaterThan(0);
  expect((await ask('POST', '/b', '{"name":"x"}')).status).toBe(200);
  return validator.compilations() - before;
}

test('upstream still compiles equal schemas anew for each operation; when this fails, the workaround can go', async () => {
  expect(await compiledForTwin(() => undefined)).toBeGreaterThan(0);
});

test('ours compiles equal schemas once', async () => {
  expect(await compiledForTwin((internals) => shareValidators(internals, empty))).toBe(0);
});

test('ours refuses and admits as before, and an error brings the schema with its rule', async () => {
  const validator = freshValidator();
  keepSchemaErrors(validator.internals);
  shareValidators(validator.internals, empty);
  shareValidators(validator.internals, empty);
  const ask = await serveWalls(validator.middleware(smallContract));
  for (const path of ['/a', '/b']) {
    expect((await ask('POST', path, '{"name":"long enough"}')).status).toBe(200);
    const { status, error } = await ask('POST', path, '{"name":"too long","size":1}');
    expect(status).toBe(400);
    const broken = error.errors.map((entry: { schemaError: object }) => entry.schemaError);
    expect(broken).toContainEqual(
      expect.objectContaining({
        keyword: 'if',
        parentSchema: expect.objectContaining({ 'x-rule': 'sized things have short names' }),
      }),
    );
    expect((await ask('POST', path, '{"name":5}')).status).toBe(400);
  }
});
