import { expect, test } from 'vitest';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

const endless = ['Infinity', '-Infinity', '1e999', '-1e999'];

test.each(endless)(
  'upstream still lets limit=%s through; when this fails, the workaround can go',
  async (limit) => {
    const ask = await serveWalls(freshValidator().middleware(smallContract));
    expect((await ask('GET', `/list?limit=${limit}`)).status).toBe(200);
  },
);

test.each(endless)('ours refuses limit=%s, and says where', async (limit) => {
  const ask = await serveWalls(freshValidator().checks(smallContract));
  const { status, error } = await ask('GET', `/list?limit=${limit}`);
  expect(status).toBe(400);
  expect(error.errors).toMatchObject([{ path: '/query/limit', schemaError: { keyword: 'x-finite' } }]);
});

test('ours leaves every other value to the validator', async () => {
  const ask = await serveWalls(freshValidator().checks(smallContract));
  for (const [query, status] of [
    ['', 200],
    ['?limit=10', 200],
    ['?limit=11', 400],
    ['?limit=x', 400],
  ] as const) {
    expect([query, (await ask('GET', `/list${query}`)).status]).toEqual([query, status]);
  }
});
