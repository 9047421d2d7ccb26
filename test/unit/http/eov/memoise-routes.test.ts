import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Internals } from '../../../../src/http/eov/internals.js';
import { memoiseRoutes } from '../../../../src/http/eov/memoise-routes.js';
import { type FreshValidator, freshValidator, serveWalls, smallContract } from './fresh-validator.js';

/** Counts how often a path pattern is compiled, below whatever is laid over it later. */
function countPatterns(validator: FreshValidator): () => number {
  const patterns = validator.internals.patterns;
  const { pathToRegexp } = patterns;
  let count = 0;
  patterns.pathToRegexp = (...given: unknown[]) => {
    count += 1;
    return pathToRegexp(...given);
  };
  return () => count;
}

async function patternsOfSecondRequest(patch: (internals: Internals) => void): Promise<number> {
  const validator = freshValidator();
  const count = countPatterns(validator);
  patch(validator.internals);
  const ask = await serveWalls(validator.middleware(smallContract));
  expect((await ask('GET', '/list')).status).toBe(200);
  const before = count();
  expect((await ask('GET', '/list')).status).toBe(200);
  return count() - before;
}

test('upstream still compiles the patterns on every request; when this fails, the workaround can go', async () => {
  expect(await patternsOfSecondRequest(() => undefined)).toBeGreaterThan(0);
});

test('ours compiles each pattern once', async () => {
  expect(await patternsOfSecondRequest(memoiseRoutes)).toBe(0);
});

test('ours keeps patterns apart whose options differ, and does not pile up', () => {
  const validator = freshValidator();
  memoiseRoutes(validator.internals);
  const once = validator.internals.patterns.pathToRegexp;
  memoiseRoutes(validator.internals);
  const { pathToRegexp } = validator.internals.patterns;
  expect(pathToRegexp).toBe(once);
  expect(pathToRegexp('/a', { sensitive: true })).toBe(pathToRegexp('/a', { sensitive: true }));
  expect(pathToRegexp('/a', { sensitive: true }).regexp.test('/A')).toBe(false);
  expect(pathToRegexp('/a', { sensitive: false }).regexp.test('/A')).toBe(true);
});

test('the version that is pinned is the one that the validator uses', () => {
  const { resolve } = createRequire(import.meta.url);
  const within = createRequire(resolve('express-openapi-validator'));
  expect(within.resolve('path-to-regexp')).toBe(resolve('path-to-regexp'));
});
