import { describe, expect, test } from 'vitest';
import { operationsOf } from '../../../src/contract/document/contract-document.js';
import { addressOf, callOf, curlSample, pythonSample, typescriptSample } from '../../../src/page/samples.js';
import { smallContract } from './small-contract.js';

const placedAs = (operationId: string) =>
  operationsOf(smallContract).find(({ operation }) => operation.operationId === operationId)!;
const callTo = (operationId: string) => callOf(smallContract, placedAs(operationId));
const url = 'http://127.0.0.1:1';
const sdk = { module: '@library/sdk', create: 'createClient' };

test('a call has the values of the first samples, and no more', () => {
  expect(callTo('getBook')).toEqual({
    method: 'GET',
    path: '/books/{book}',
    operationId: 'getBook',
    pathValues: { book: 'a b' },
    query: { wait: 0 },
    headers: {},
    body: undefined,
    text: false,
  });
  expect(addressOf(callTo('getBook'))).toBe('/books/a%20b?wait=0');
  expect(callTo('lend').body).toEqual({});
  expect(callTo('listLoans').text).toBe(true);
});

test('for a shell, whatever quotes are in it', () => {
  expect(curlSample(callTo('getBook'), url)).toBe(`curl -s 'http://127.0.0.1:1/books/a%20b?wait=0'`);
  expect(curlSample(callTo('putBook'), url)).toBe(
    [
      `curl -s -X PUT 'http://127.0.0.1:1/books/{book}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '{"title":"It'\\''s \\"new\\"\\n","pages":null,"tags":["a","b"]}'`,
    ].join('\n'),
  );
});

test('for the SDK', () => {
  expect(typescriptSample(callTo('getBook'), url, sdk)).toContain(
    `console.log(await client.getBook({\n  path: { book: 'a b' },\n  query: { wait: 0 },\n}));\n`,
  );
  expect(typescriptSample(callTo('putBook'), url, sdk)).toContain(
    `  body: { title: 'It\\'s "new"\\n', pages: null, tags: ['a', 'b'] },\n`,
  );
  expect(typescriptSample(callTo('listLoans'), url, sdk)).toContain('client.listLoans()');
});

test('for Python, JSON only where there is some', () => {
  expect(pythonSample(callTo('listLoans'), url)).not.toContain('json');
  const put = pythonSample(callTo('putBook'), url);
  expect(put).toContain('    "pages": None,\n');
  expect(put).toContain("    method='PUT',\n");
  expect(pythonSample(callTo('lend'), url)).toContain('body = {}\n');
});

describe('a call that is filled in', () => {
  test('has what stands in the fields, as what it is', () => {
    const parameters = {
      'path.book': 'c',
      'query.wait': '5',
      'query.page': '',
      'query.sold': 'false',
      'header.Reader-Card': "o'hara",
    };
    const call = callOf(smallContract, placedAs('getBook'), { parameters })!;
    expect(call).toMatchObject({
      pathValues: { book: 'c' },
      query: { wait: 5, sold: false },
      headers: { 'Reader-Card': "o'hara" },
    });
    expect(Object.keys(call.query)).toEqual(['wait', 'sold']);
    expect(curlSample(call, url)).toBe(
      [`curl -s 'http://127.0.0.1:1/books/c?wait=5&sold=false' \\`, `  -H 'Reader-Card: o'\\''hara'`].join(
        '\n',
      ),
    );
    expect(typescriptSample(call, url, sdk)).toContain(`  headers: { 'Reader-Card': 'o\\'hara' },\n`);
    expect(pythonSample(call, url)).toContain(`    headers={'Reader-Card': "o'hara"},\n`);
  });

  test('has the body that stands there, none where it was emptied, and is none while that is no JSON', () => {
    const bodyOf = (body?: string) =>
      callOf(smallContract, placedAs('putBook'), { parameters: {}, body })?.body;
    expect(bodyOf('{"title":"x"}')).toEqual({ title: 'x' });
    expect(bodyOf(' ')).toBeUndefined();
    expect(bodyOf()).toMatchObject({ tags: ['a', 'b'] });
    expect(callOf(smallContract, placedAs('putBook'), { parameters: {}, body: '{"title":' })).toBeNull();
  });
});
