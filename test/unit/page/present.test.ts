import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { present } from '../../../src/page/present.js';
import { smallContract } from './small-contract.js';

const shown = present(smallContract, false);
const statusesOf = (path: string, method: string): string[] =>
  Object.keys(shown.paths[path]?.[method]?.responses ?? {});

test('an operation shows its own errors and none that all share', () => {
  expect(statusesOf('/books/{book}', 'get')).toEqual(['200', '404']);
  expect(statusesOf('/loans', 'post')).toEqual(['200']);
});

test('what cannot be done says so first, in the words that would be answered', () => {
  expect(shown.paths['/books/{book}']?.put?.description).toBe(
    '> **Not available now.** It would answer: The library is closed. Open it: open &lt;key>\n\n',
  );
});

test('nothing asks for a token, and the contract stays as it is', () => {
  expect(JSON.stringify(shown)).not.toMatch(/"security|securitySchemes/);
  expect(smallContract.security).toEqual([{ token: [] }]);
  expect(smallContract.paths['/loans']?.get?.responses).toHaveProperty('401');
});

test('a page that took a token says where it is used', () => {
  expect(present(smallContract, true)).toMatchObject({ security: [{ token: [] }] });
});

test('operations that texts mention are links', () => {
  expect(shown.info.description).toContain(
    'Begin with [`GET /books/{book}?wait=1`](#/books/getBook), not with `GET /films`.',
  );
  expect(shown.paths['/books/{book}']?.get?.description).toBe('See [`PUT /books/{book}`](#/books/putBook).');
});

test('what an answer leads to is a link in its text, and in no column', () => {
  const answer = shown.paths['/books/{book}']?.get?.responses['200'];
  expect(answer).toMatchObject({
    description: 'It.\n\n* [`PUT /books/{book}`](#/books/putBook): Put it back.',
  });
  expect(answer).not.toHaveProperty('links');
});

test('a schema of several kinds shows the kinds, and no table of references', () => {
  const discriminator = { propertyName: 'kind', mapping: {} };
  const schemas = {
    Loan: { oneOf: [{ type: 'object' }], discriminator },
    Odd: { properties: { discriminator: {} } },
  };
  const { components } = present(
    { ...smallContract, components: { ...smallContract.components, schemas } },
    false,
  );
  expect(components?.schemas).toEqual({ Loan: { oneOf: [{ type: 'object' }] }, Odd: schemas.Odd });
});

test.each([
  ['gateway', ['submitRequest', 'getRequest']],
  ['managed-agent', ['listAgents', 'submitGatewayRequest', 'getGatewayRequest']],
])(
  'the first prompt that the page of %s tells of goes through %j, up to the answer',
  (surface, operations) => {
    const path = new URL(`../../../generated/${surface}/openapi.json`, import.meta.url);
    const { description } = present(JSON.parse(readFileSync(path, 'utf8')), false).info;
    const reported = /\*\*A first prompt\.\*\*.*?answer\.text`/s.exec(description ?? '')?.[0] ?? '';
    expect([...reported.matchAll(/\]\(#\/[^/)]+\/(\w+)\)/g)].map(([, id]) => id)).toEqual(operations);
  },
);

test('a surface with workflows leads to them, and one without says nothing of any', () => {
  const { info } = smallContract;
  const named = present(
    { ...smallContract, info: { ...info, 'x-houmao-workflows': ['lend', 'return'] } },
    false,
  );
  expect(named.info.description).toContain(
    '[lend](/openapi/workflows/lend.yaml), [return](/openapi/workflows/return.yaml)',
  );
  expect(shown.info.description).not.toContain('/openapi/workflows/');
});
