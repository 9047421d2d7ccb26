import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import fc from 'fast-check';
import { match } from 'path-to-regexp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpFault } from '../../../src/http/http-fault.js';
import { expressPath, mount } from '../../../src/http/mount.js';

describe('expressPath', () => {
  test.each([
    ['/v1/requests', '/v1/requests'],
    ['/v1/requests/{request_id}', '/v1/requests/:"request_id"'],
    ['/a/{x-y}/b/{z}', '/a/:"x-y"/b/:"z"'],
    ['/a:b', '/a\\:b'],
  ])('%s is %s', (path, written) => {
    expect(expressPath(path)).toBe(written);
  });

  test('matches its own path, whatever stands in it, and gives the parameters back', () => {
    const literal = fc.stringMatching(/^[A-Za-z0-9_.~!$&'()*+,;=:@-]{1,8}$/);
    const parameter = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,6}$/);
    const value = fc.stringMatching(/^[A-Za-z0-9_.~-]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(literal, { minLength: 1, maxLength: 3 }),
        parameter,
        value,
        (parts, name, given) => {
          const path = `/${parts.join('/')}/{${name}}/end`;
          const found = match(expressPath(path), { trailing: false, sensitive: true })(
            path.replace(`{${name}}`, given),
          );
          expect(found && { ...found.params }).toEqual({ [name]: given });
          expect(match(expressPath(path), { sensitive: true })(`${path}/more`)).toBe(false);
        },
      ),
    );
  });
});

const row = (method: string, path: string) => ({
  method,
  path,
  headerParams: ['Idempotency-Key'],
  body: false,
});
const rows = {
  one: row('GET', '/things/{thing_id}'),
  all: row('GET', '/things/all'),
  fails: row('GET', '/fails'),
  nothing: row('DELETE', '/things/all'),
};
type Context = { path: object; query: object; headers: object; signal: AbortSignal; httpRequestId: string };
type Reply = (status: number, body?: unknown, headers?: Record<string, unknown>) => unknown;

describe('mount', () => {
  let server: Server;
  let url: string;
  let claimed = '';
  beforeAll(async () => {
    const app = express();
    // In place of the contract walls: says that the request was checked for this operation.
    app.use((request, _response, next) => {
      Object.assign(request, {
        openapi: { schema: { operationId: claimed }, pathParams: { thing_id: 'decoded' } },
      });
      next();
    });
    const told = (name: string) => (context: Context, reply: Reply) =>
      reply(
        200,
        { name, path: context.path, headers: context.headers, id: context.httpRequestId },
        { 'X-Told': 1, 'X-Not': undefined },
      );
    const handlers = {
      one: told('one'),
      all: told('all'),
      fails: async () => {
        throw new Error('inside');
      },
      nothing: (_context: Context, reply: Reply) => reply(204),
    };
    app.use(mount(rows, handlers, () => 'http-1'));
    const errors: ErrorRequestHandler = (error: Error, _request, response, _next) => {
      response.status(error instanceof HttpFault ? error.status : 500).end(error.message);
    };
    app.use(errors);
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test('prefers a literal segment to a parameter, in whatever order the table is', async () => {
    claimed = 'all';
    expect(await (await fetch(`${url}/things/all`)).json()).toMatchObject({ name: 'all' });
    claimed = 'one';
    expect(await (await fetch(`${url}/things/other`)).json()).toMatchObject({ name: 'one' });
  });

  test('gives a handler what the validator read, and declared headers under their own names', async () => {
    claimed = 'one';
    const answer = await fetch(`${url}/things/x`, { headers: { 'idempotency-key': 'k', 'x-other': 'y' } });
    expect(await answer.json()).toEqual({
      name: 'one',
      path: { thing_id: 'decoded' },
      headers: { 'Idempotency-Key': 'k' },
      id: 'http-1',
    });
    expect([answer.headers.get('x-told'), answer.headers.get('x-not')]).toEqual(['1', null]);
  });

  test('lets nothing through that was not checked for exactly this operation', async () => {
    for (const other of ['', 'all', 'nothing']) {
      claimed = other;
      expect((await fetch(`${url}/things/x`)).status).toBe(404);
    }
  });

  test('is strict about case and slashes', async () => {
    claimed = 'one';
    for (const path of ['/Things/x', '/things/x/', '/things', '/things//x']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
    }
  });

  test('sends no body where there is none, and passes on what a handler throws', async () => {
    claimed = 'nothing';
    const empty = await fetch(`${url}/things/all`, { method: 'DELETE' });
    expect([empty.status, await empty.text()]).toEqual([204, '']);
    claimed = 'fails';
    expect((await fetch(`${url}/fails`)).status).toBe(500);
  });
});
