import { expect, test } from 'vitest';
import { at, resolveByPointer } from '../../../../../src/http/contract/eov/resolve-by-pointer.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

function compiledWhilePreparing(byPointer: boolean): number {
  const validator = freshValidator();
  const preprocessor = validator.preprocessor(smallContract);
  if (byPointer) resolveByPointer(preprocessor);
  preprocessor.preProcess();
  return validator.compilations();
}

test('upstream still compiles what a reference points to while it prepares; when this fails, the workaround can go', () => {
  expect(compiledWhilePreparing(false)).toBeGreaterThan(0);
});

test('ours compiles nothing while it prepares', () => {
  expect(compiledWhilePreparing(true)).toBe(0);
});

test('ours validates behind references as before, also behind escaped ones', async () => {
  const document = structuredClone(smallContract) as typeof smallContract & {
    components: { schemas: Record<string, object> };
  };
  document.components.schemas['a~b'] = { type: 'string', minLength: 2 };
  Object.assign(document.components.schemas.Thing.properties, {
    name: { $ref: '#/components/schemas/a~0b' },
  });
  const ask = await serveWalls(freshValidator().checks(document));
  expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(400);
  expect((await ask('POST', '/a', '{"name":"xx"}')).status).toBe(200);
});

test('a pointer leads to its node, or to nothing', () => {
  const document = { 'a/b': { 'c~d': { found: true } }, list: [{ here: 1 }] };
  expect(at(document, '#/a~1b/c~0d')).toEqual({ found: true });
  expect(at(document, '#/list/0')).toEqual({ here: 1 });
  for (const nowhere of ['#/x', '#/a~1b/x/y', '#/list/1'])
    expect([nowhere, at(document, nowhere)]).toEqual([nowhere, null]);
});
