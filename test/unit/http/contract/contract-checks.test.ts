import type { RequestHandler } from 'express';
import { expect, test, vi } from 'vitest';
import { type FreshValidator, freshValidator, serveWalls, smallContract } from './eov/fresh-validator.js';

/** How many checks of an operation are made, and kept, while callers send it under so many content types. */
async function madeFor(walls: (validator: FreshValidator) => RequestHandler[]): Promise<number> {
  const validator = freshValidator();
  const make = vi.spyOn(validator.internals.RequestValidator.prototype, 'buildMiddleware');
  const ask = await serveWalls(walls(validator));
  for (let index = 0; index < 20; index += 1)
    expect((await ask('POST', '/a', '{"name":"x"}', `application/json; p${index}=x`)).status).toBe(200);
  return make.mock.calls.length;
}

test('upstream keeps a check for each content type; when this fails, we need not pass it one of our own', async () => {
  expect(await madeFor((validator) => validator.middleware(smallContract))).toBe(20);
});

test('ours keeps one for an operation, whatever content types callers think of', async () => {
  expect(await madeFor((validator) => validator.checks(smallContract))).toBe(1);
});
