import type { RequestHandler } from 'express';
import { expect, test } from 'vitest';
import { type FreshValidator, freshValidator, serveWalls, smallContract } from './fresh-validator.js';

async function compiledForTwin(walls: (validator: FreshValidator) => RequestHandler[]): Promise<number> {
  const validator = freshValidator();
  const ask = await serveWalls(walls(validator));
  expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(200);
  const before = validator.compilations();
  expect(before).toBeGreaterThan(0);
  expect((await ask('POST', '/b', '{"name":"x"}')).status).toBe(200);
  return validator.compilations() - before;
}

test('upstream still compiles equal schemas again for each operation; when this fails, the workaround can go', async () => {
  expect(await compiledForTwin((validator) => validator.middleware(smallContract))).toBeGreaterThan(0);
});

test('ours compiles equal schemas once', async () => {
  expect(await compiledForTwin((validator) => validator.checks(smallContract))).toBe(0);
});

test('ours refuses and admits as before, and an error brings the schema with its rule', async () => {
  const ask = await serveWalls(freshValidator().checks(smallContract));
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

test('ours looks a parameter behind a reference up without compiling it, and checks it as before', async () => {
  const document = structuredClone(smallContract);
  Object.assign(document.components.schemas, { Limit: { type: 'integer', minimum: 1, maximum: 10 } });
  Object.assign(document.paths['/list'].get.parameters[0] ?? {}, {
    schema: { $ref: '#/components/schemas/Limit' },
  });
  const validator = freshValidator();
  const ask = await serveWalls(validator.checks(document));
  const seen: number[] = [];
  for (const limit of ['1', '10', '0', '11', 'x'])
    seen.push((await ask('GET', `/list?limit=${limit}`)).status);
  expect(seen).toEqual([200, 200, 400, 400, 400]);
  // The parameters of the list and an empty body.
  const compiled = validator.compilations();
  const upstream = freshValidator();
  const other = await serveWalls(upstream.middleware(document));
  expect((await other('GET', '/list?limit=1')).status).toBe(200);
  expect(upstream.compilations()).toBeGreaterThan(compiled);
});

test('two surfaces whose components have one name and say different things keep apart', async () => {
  const strict = structuredClone(smallContract);
  strict.components.schemas.Name.minLength = 3;
  const validator = freshValidator();
  const [loose, tight] = [
    await serveWalls(validator.checks(smallContract)),
    await serveWalls(validator.checks(strict)),
  ];
  for (const [ask, status] of [
    [loose, 200],
    [tight, 400],
    [loose, 200],
  ] as const)
    expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(status);
});
