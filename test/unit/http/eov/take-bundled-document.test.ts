import { expect, test, vi } from 'vitest';
import type { Internals } from '../../../../src/http/eov/internals.js';
import { takeBundledDocument } from '../../../../src/http/eov/take-bundled-document.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

async function searchesForFiles(patch: (internals: Internals) => void): Promise<number> {
  const validator = freshValidator();
  const bundle = vi.spyOn(validator.referenceParser, 'bundle');
  patch(validator.internals);
  const ask = await serveWalls(validator.middleware(smallContract));
  expect((await ask('POST', '/a', '{"name":"x"}')).status).toBe(200);
  expect((await ask('POST', '/a', '{"name":5}')).status).toBe(400);
  const { length } = bundle.mock.calls;
  bundle.mockRestore();
  return length;
}

test('upstream still searches an object for files; when this fails, the workaround can go', async () => {
  expect(await searchesForFiles(() => undefined)).toBe(1);
});

test('ours does not, and validates as before', async () => {
  expect(await searchesForFiles(takeBundledDocument)).toBe(0);
});
