import { expect, test } from 'vitest';
import { noTrailingSlash } from '../../../../src/http/eov/no-trailing-slash.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

test('upstream still takes /list/ for /list, strict routing or not; when this fails, the workaround can go', async () => {
  const ask = await serveWalls(freshValidator().middleware(smallContract));
  expect((await ask('GET', '/list/')).status).toBe(200);
});

test('ours knows the difference, on the paths of the contract only', async () => {
  const isOurs = (path: string): boolean => path.startsWith('/list') || path.startsWith('/a');
  const ask = await serveWalls([noTrailingSlash(isOurs), ...freshValidator().middleware(smallContract)]);
  expect((await ask('GET', '/list/')).status).toBe(404);
  expect((await ask('PATCH', '/a/')).status).toBe(404);
  expect((await ask('GET', '/list')).status).toBe(200);
  const elsewhere = await serveWalls([noTrailingSlash(() => false)]);
  expect((await elsewhere('GET', '/docs/')).status).toBe(200);
});
