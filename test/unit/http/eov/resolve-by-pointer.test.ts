import { expect, test } from 'vitest';
import type { Internals } from '../../../../src/http/eov/internals.js';
import { resolveByPointer } from '../../../../src/http/eov/resolve-by-pointer.js';
import { skipDocumentCheck } from '../../../../src/http/eov/skip-document-check.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

/** An unknown path is answered after the document was prepared and before any operation is compiled. */
async function compiledWhilePreparing(patch: (internals: Internals) => void): Promise<number> {
  const validator = freshValidator();
  skipDocumentCheck(validator.internals);
  patch(validator.internals);
  const ask = await serveWalls(validator.middleware(smallContract));
  expect((await ask('GET', '/nowhere')).status).toBe(404);
  return validator.compilations();
}

test('upstream still compiles what a reference points to while it prepares; when this fails, the workaround can go', async () => {
  expect(await compiledWhilePreparing(() => undefined)).toBeGreaterThan(0);
});

test('ours compiles nothing while it prepares', async () => {
  expect(await compiledWhilePreparing(resolveByPointer)).toBe(0);
});

test('ours validates behind references as before, also behind escaped ones', async () => {
  const validator = freshValidator();
  resolveByPointer(validator.internals);
  const document = structuredClone(smallContract) as typeof smallContract & {
    components: { schemas: Record<string, object> };
  };
  document.components.schemas['a~b'] = { type: 'string', minLength: 2 };
  Object.assign(document.components.schemas.Thing.properties, {
    name: { $ref: '#/components/schemas/a~0b' },
  });
  const ask = await serveWalls(validator.middleware(document));
  expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(400);
  expect((await ask('POST', '/a', '{"name":"xx"}')).status).toBe(200);
});
