import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Waiters } from '../../../src/foundation/concurrency.js';
import { Unavailable } from '../../../src/foundation/faults.js';
import { ContractChecks } from '../../../src/http/contract/contract-checks.js';
import { compilesAll, prepareContract } from '../../../src/http/contract/prepared-contract.js';
import { type Dispatched, dispatcher } from '../../../src/http/dispatch.js';
import { serveToys, toyHandlers, toySurface } from '../../support/toy-surface.js';

let toys: Awaited<ReturnType<typeof serveToys>>;
const waiters = new Waiters();
beforeAll(async () => {
  toys = await serveToys(toyHandlers(waiters));
});
afterAll(() => toys.abandon());

const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
  const answer = await fetch(toys.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
};
const json = { 'content-type': 'application/json' };

describe('a request', () => {
  test('goes to a literal segment before a parameter, in whatever order the table is', async () => {
    expect((await ask('GET', '/toys/all')).body).toMatchObject({ operation: 'allToys' });
    expect((await ask('GET', '/toys/other')).body).toMatchObject({
      operation: 'getToy',
      path: { toy_id: 'other' },
    });
  });

  test('brings its handler what was checked: decoded, with defaults, and declared headers under their names', async () => {
    const one = await ask('GET', '/toys/a%2Fb');
    expect(one.body).toEqual({
      operation: 'getToy',
      path: { toy_id: 'a/b' },
      query: {},
      headers: {},
      httpRequestId: one.headers.get('x-request-id'),
    });
    expect((await ask('GET', '/toys')).body.query).toEqual({ limit: 7 });
    expect((await ask('GET', '/toys?limit=9')).body.query).toEqual({ limit: 9 });
    const made = await ask('POST', '/toys', { ...json, 'toy-key': 'kk', 'x-other': 'y' }, '{"name":"bear"}');
    expect([made.status, made.body.headers, made.body.body]).toEqual([
      201,
      { 'Toy-Key': 'kk' },
      { name: 'bear', colour: 'red' },
    ]);
    expect([made.headers.get('toy-maker'), made.headers.get('toy-none')]).toEqual(['1', null]);
  });

  test('that breaks the contract is refused with the field, and reaches no handler', async () => {
    for (const [method, path, headers, body, loc] of [
      ['GET', `/toys/${'x'.repeat(21)}`, {}, undefined, ['path', 'toy_id']],
      ['GET', '/toys?limit=0', {}, undefined, ['query', 'limit']],
      ['GET', '/toys?limit=Infinity', {}, undefined, ['query', 'limit']],
      ['GET', '/toys?[]=1', {}, undefined, ['query', '[]']],
      ['POST', '/toys', { ...json, 'toy-key': 'k' }, '{"name":"bear"}', ['header', 'Toy-Key']],
      ['POST', '/toys', json, '{"name":""}', ['body', 'name']],
    ] as const) {
      const answer = await ask(method, path, headers, body);
      expect([path, answer.status, answer.body.detail[0].loc.map(String)]).toEqual([
        path,
        422,
        loc.map((part) => expect.stringMatching(new RegExp(part.replace(/[[\]]/g, '\\$&'), 'i'))),
      ]);
    }
    expect((await ask('POST', '/toys', json, JSON.stringify({ name: 'x'.repeat(300) }))).status).toBe(413);
  });

  test('that breaks the contract is refused with what it sent, without the defaults that it did not send', async () => {
    for (const [body, input] of [
      ['{}', {}],
      ['{"colour":"blue"}', { colour: 'blue' }],
      ['{"name":""}', ''],
    ] as const) {
      const { status, body: reported } = await ask('POST', '/toys', json, body);
      expect([status, reported.detail.map((item: { input: unknown }) => item.input)]).toEqual([422, [input]]);
    }
  });

  test('is taken by its exact path only', async () => {
    for (const path of [
      '/Toys/all',
      '/toys/all/',
      '/toys/',
      '/toys//x',
      '/aXb',
      '/toys/x/y',
      '/toys/x/wait/',
    ])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 404]);
    expect((await ask('GET', '/a.b')).body).toMatchObject({ operation: 'dotted' });
  });

  test('by a method that its path has not is refused with those it has', async () => {
    const { status, headers } = await ask('PATCH', '/toys/all');
    expect([status, headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD']);
  });
});

describe('an answer', () => {
  test('without a body has none', async () => {
    const { status, body } = await ask('DELETE', '/toys/all');
    expect([status, body]).toEqual([204, null]);
  });

  test('that breaks the contract is sent and reported, or not sent at all', async () => {
    expect((await ask('PUT', '/toys/x')).body).toEqual({ toys: 'many' });
    expect(toys.faults.splice(0)).toEqual([expect.stringContaining('breaks the contract')]);
    const strict = await serveToys(toyHandlers(), { strictAnswers: true });
    const refused = await fetch(`${strict.url}/toys/x`, { method: 'PUT' });
    strict.abandon();
    expect([refused.status, strict.faults]).toEqual([500, [expect.stringContaining('/response/toys')]]);
  });

  test('of a handler that throws is a fault, with the words of its surface', async () => {
    const { status, headers, body } = await ask('POST', '/fails');
    const id = headers.get('x-request-id');
    expect([status, body]).toEqual([500, { detail: `Internal fault; see request ${id} in the shop log.` }]);
    expect(toys.faults.splice(0)).toEqual([
      expect.stringContaining(`request ${id} POST /fails: Error: inside`),
    ]);
  });
});

test('what a handler cannot do now is 503, says why and when to ask again', async () => {
  const reason = 'The toys are being counted.';
  const busy = await serveToys({
    ...toyHandlers(),
    getToy: () => {
      throw new Unavailable(reason);
    },
    makeToy: async () => {
      throw new Unavailable(reason);
    },
  });
  const answers = [
    await fetch(`${busy.url}/toys/x`),
    await fetch(`${busy.url}/toys`, { method: 'POST', headers: json, body: '{"name":"bear"}' }),
  ];
  for (const answer of answers)
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '1',
      { detail: reason },
    ]);
  expect(busy.faults).toEqual([]);
  busy.abandon();
});

test('a caller who leaves ends its wait', async () => {
  const leave = new AbortController();
  const waiting = abortable('/toys/x/wait', leave.signal);
  await expect.poll(() => waiters.count).toBe(1);
  leave.abort();
  await expect(waiting).rejects.toThrow();
  await expect.poll(() => waiters.count).toBe(0);
});
const abortable = (path: string, signal: AbortSignal) => fetch(toys.url + path, { signal });

test('routes, handlers and contract that do not fit are found before anything is served', () => {
  const text = toySurface.document();
  const checks = new ContractChecks(prepareContract(text), { kind: 'throw' }, compilesAll);
  const dispatchOf = (change: Partial<Dispatched>) =>
    dispatcher({ ...toySurface, handlers: toyHandlers(), checks, ...change }, () => undefined);
  expect(() => dispatchOf({})).not.toThrow();
  const { getToy } = toySurface.routes;
  expect(() => dispatchOf({ routes: { renamed: getToy! } })).toThrow('getToy');
  expect(() => dispatchOf({ routes: { getToy: { ...getToy!, path: '/none' } } })).toThrow('GET /none');
  expect(() => dispatchOf({ handlers: { ...toyHandlers(), getToy: undefined } })).toThrow('getToy');
});
