import { expect, test } from 'vitest';
import { type Answer, compareAnswers, type Rules } from '../../../../scripts/gate/answered-statuses.mjs';

const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
const walls = { 401: shared('Token'), 422: {} };
const withBody = { ...walls, 415: shared('NotJson') };
const operation = (operationId: string, responses: object, more: object = {}) => ({
  operationId,
  responses,
  ...more,
});
const body = { requestBody: {} };

const documents = {
  shop: {
    paths: {
      '/health': { get: operation('health', { 200: {}, ...walls }) },
      '/books': { post: operation('addBook', { 200: {}, ...withBody, 409: {} }, body) },
      '/books/{book}': {
        get: operation('getBook', { 200: {}, ...walls, 404: shared('NoBook') }),
        put: operation('lendBook', { 200: {}, ...withBody, 404: shared('NoBook') }, body),
      },
    },
  },
  bank: {
    paths: {
      '/health': { get: operation('bankHealth', { 200: {} }) },
      '/sums': { get: operation('getSum', { 200: {} }) },
    },
  },
};
const rules: Rules = { alike: ['NoBook'], ofHttp: [304], elsewhere: [] };

const answer = (line: string, server = 'a'): Answer => {
  const [method = '', path = '', status] = line.split(' ');
  return { server, method, path, status: Number(status) };
};
const bare = (status: number, server = 'a'): Answer => ({ server, method: null, path: null, status });
const bank = [answer('GET /health 200', 'b'), answer('GET /sums 200', 'b')];
const all = [
  ...['GET /health 200', 'POST /books 200', 'GET /books/1 200', 'PUT /books/1 200', 'GET /health 401'],
  ...['GET /books/1 422', 'PUT /books/1 415', 'POST /books 409', 'GET /books/2 404'],
].map((line) => answer(line));
const findings = (answers: readonly Answer[], more: Partial<Rules> = {}) =>
  compareAnswers(documents, answers, { ...rules, ...more }).findings;
const without = (line: string) => all.filter((one) => `${one.method} ${one.path} ${one.status}` !== line);

test('nothing is amiss where every promise was answered', () => {
  expect(compareAnswers(documents, [...all, ...bank], rules)).toEqual({ promises: 11, findings: [] });
});

test('a status of an operation that no test provokes is named', () => {
  expect(findings([...without('POST /books 409'), ...bank])).toEqual([
    'shop: addBook 409 is answered in no contract test',
  ]);
  expect(findings([...without('PUT /books/1 200'), ...bank])).toEqual([
    'shop: lendBook 200 is answered in no contract test',
  ]);
});

test('what every operation refuses, and every one with a body, is provoked once; so is what is alike', () => {
  expect(findings([...without('GET /health 401'), ...bank])).toEqual([
    'shop: every operation 401 is answered in no contract test',
  ]);
  expect(findings([...without('PUT /books/1 415'), ...bank])).toEqual([
    'shop: every operation with a body 415 is answered in no contract test',
  ]);
  expect(findings([...without('GET /books/2 404'), ...bank])).toEqual([
    'shop: one of NoBook 404 is answered in no contract test',
  ]);
  expect(findings([...without('GET /books/2 404'), ...bank], { alike: [] })).toEqual([
    'shop: getBook 404 is answered in no contract test',
    'shop: lendBook 404 is answered in no contract test',
  ]);
});

test('a refusal before there was a request keeps a promise of every operation, and no other', () => {
  expect(findings([...without('GET /health 401'), bare(401), ...bank])).toEqual([]);
  expect(findings([...without('POST /books 409'), bare(409), ...bank])).toEqual([
    'shop: addBook 409 is answered in no contract test',
  ]);
});

test('an answer that the document does not have is named, unless every server of HTTP has it', () => {
  const more = [
    'GET /books/1 409',
    'GET /books/2 409',
    'GET /health 304',
    'GET /nowhere 404',
    'PATCH /books 405',
  ];
  expect(findings([...all, ...bank, ...more.map((line) => answer(line))])).toEqual([
    'shop: getBook answered 409, which its document does not have',
  ]);
});

test('HEAD is answered as GET', () => {
  expect(findings([...without('GET /books/2 404'), answer('HEAD /books/2 404'), ...bank])).toEqual([]);
});

test('a path of both surfaces counts for the one whose server was asked', () => {
  expect(findings([...without('GET /health 200'), ...bank])).toEqual([
    'shop: health 200 is answered in no contract test',
  ]);
  // Of a server that was asked for nothing else, nobody knows which it is.
  expect(findings([...without('GET /health 200'), answer('GET /health 200', 'c'), ...bank])).toHaveLength(1);
  // A path that a server does not have makes it no other one, however often it is asked for that.
  const foreign = ['GET /sums 404', 'GET /sums 404', 'GET /health 200'].map((line) => answer(line, 'd'));
  expect(findings([...all, ...bank, ...foreign, answer('POST /books 409', 'd')])).toEqual([]);
});

test('what another test holds is not missing; what it need not hold is named', () => {
  const held = (promise: string) => ({ elsewhere: [{ promise, test: 'test/x.test.ts', why: '' }] });
  expect(findings([...without('POST /books 409'), ...bank], held('shop: addBook 409'))).toEqual([]);
  expect(findings([...all, ...bank], held('shop: addBook 409'))).toEqual([
    'shop: addBook 409 is answered in a contract test and need not be held elsewhere',
  ]);
  expect(findings([...all, ...bank], held('shop: addBook 418'))).toEqual([
    'shop: addBook 418 is held elsewhere, and no document promises it',
  ]);
});
