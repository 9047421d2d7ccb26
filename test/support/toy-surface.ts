import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { StreamedText } from '../../src/contract/handler-types.js';
import { Waiters } from '../../src/foundation/concurrency.js';
import {
  type BoundSurface,
  bindSurface,
  type HttpSurface,
  type ServeOptions,
} from '../../src/http/surface.js';

const answer = (schema: string) => ({
  description: 'Fine.',
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});
const headers = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { required: true, schema: { type: 'string' } }]));
const story = { 'text/plain': { schema: { type: 'string' } } };
const toyId = { name: 'toy_id', in: 'path', required: true, schema: { type: 'string', maxLength: 20 } };

/** A surface with words, paths and schemas of its own; two of its schemas have the names of others in the gateway. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Toys', version: '1' },
  paths: {
    '/health': { get: { operationId: 'toyHealth', responses: { '200': answer('Health') } } },
    '/toys': {
      get: {
        operationId: 'listToys',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, default: 7 } }],
        responses: { '200': answer('Seen') },
      },
      post: {
        operationId: 'makeToy',
        parameters: [{ name: 'Toy-Key', in: 'header', schema: { type: 'string', minLength: 2 } }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Toy' } } },
        },
        responses: { '201': answer('Seen') },
      },
    },
    '/toys/all': {
      get: { operationId: 'allToys', responses: { '200': answer('Seen') } },
      delete: { operationId: 'dropToys', responses: { '204': { description: 'Gone.' } } },
    },
    '/toys/{toy_id}': {
      get: { operationId: 'getToy', parameters: [toyId], responses: { '200': answer('Seen') } },
      put: { operationId: 'breakContract', parameters: [toyId], responses: { '200': answer('Health') } },
    },
    '/toys/{toy_id}/wait': {
      get: { operationId: 'waitForToy', parameters: [toyId], responses: { '200': answer('Seen') } },
    },
    '/toys/{toy_id}/story': {
      get: {
        operationId: 'tellStory',
        parameters: [toyId, { name: 'Range', in: 'header', schema: { type: 'string' } }],
        responses: {
          '200': { description: 'All of it.', headers: headers('Accept-Ranges'), content: story },
          '206': { $ref: '#/components/responses/Part' },
          '416': answer('Seen'),
        },
      },
    },
    '/fails': { post: { operationId: 'fails', responses: { '200': answer('Seen') } } },
    '/a.b': { get: { operationId: 'dotted', responses: { '200': answer('Seen') } } },
  },
  components: {
    responses: {
      Part: { description: 'A part.', headers: headers('Accept-Ranges', 'Content-Range'), content: story },
    },
    schemas: {
      Health: {
        type: 'object',
        additionalProperties: false,
        required: ['toys'],
        properties: { toys: { type: 'integer' } },
      },
      Seen: { type: 'object', properties: { operation: { type: 'string' } } },
      Toy: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 10 },
          colour: { type: 'string', default: 'red' },
        },
      },
    },
  },
};

const row = (method: string, path: string, more: { body?: boolean; headerParams?: string[] } = {}) => ({
  method,
  path,
  headerParams: [],
  body: false,
  ...more,
});

export const toySurface: HttpSurface = {
  words: {
    title: 'Toy shop',
    program: 'toy-shop',
    noun: 'shop',
    tokenFile: 'the till',
    flags: { host: '--also-host', origin: '--also-origin', user: '--also-user' },
  },
  document: () => JSON.stringify(document),
  prepared: null,
  routes: {
    getToy: row('GET', '/toys/{toy_id}'),
    breakContract: row('PUT', '/toys/{toy_id}'),
    waitForToy: row('GET', '/toys/{toy_id}/wait'),
    tellStory: row('GET', '/toys/{toy_id}/story', { headerParams: ['Range'] }),
    toyHealth: row('GET', '/health'),
    listToys: row('GET', '/toys'),
    makeToy: row('POST', '/toys', { body: true, headerParams: ['Toy-Key'] }),
    allToys: row('GET', '/toys/all'),
    dropToys: row('DELETE', '/toys/all'),
    fails: row('POST', '/fails'),
    dotted: row('GET', '/a.b'),
  },
  exposedHeaders: ['Toy-Maker'],
  bodyLimit: () => 200,
  pageFacts: null,
  outline: () => '',
  hasConsole: false,
};

// biome-ignore lint/suspicious/noExplicitAny: the toys look at contexts and replies of every operation.
type Any = any;

/** Handlers that say what they were given. */
export function toyHandlers(waiters = new Waiters()) {
  const reported =
    (operation: string, status = 200) =>
    ({ path, query, headers, body, httpRequestId }: Any, reply: Any) =>
      reply(
        status,
        { operation, path, query, headers, body, httpRequestId },
        { 'Toy-Maker': 1, 'Toy-None': undefined },
      );
  return {
    toyHealth: (_context: Any, reply: Any) => reply(200, { toys: 3 }),
    listToys: reported('listToys'),
    makeToy: async (context: Any, reply: Any) => reported('makeToy', 201)(context, reply),
    allToys: reported('allToys'),
    dropToys: (_context: Any, reply: Any) => reply(204),
    getToy: reported('getToy'),
    breakContract: (_context: Any, reply: Any) => reply(200, { toys: 'many' }),
    waitForToy: async ({ path, signal }: Any, reply: Any) => {
      await waiters.wait(path.toy_id, 60_000, signal);
      return reply(200, { operation: 'waitForToy' });
    },
    tellStory: async (_context: Any, reply: Any) =>
      reply(200, new StreamedText(4, Readable.from([Buffer.from('once')])), { 'Accept-Ranges': 'bytes' }),
    fails: async () => {
      throw new Error('inside');
    },
    dotted: reported('dotted'),
  };
}

/** Serves the toys on a free port. What is reported lands in `faults`. */
export async function serveToys(
  handlers: Readonly<Record<string, unknown>> = toyHandlers(),
  options: Partial<ServeOptions> = {},
): Promise<BoundSurface & { url: string; faults: string[] }> {
  const faults: string[] = [];
  const surface = await bindSurface(toySurface, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: null,
    callers: { token: 'toy-token', users: new Set([process.getuid?.() ?? 0]) },
    admitted: { hosts: new Set(), origins: new Set() },
    strictAnswers: false,
    load: createRequire(import.meta.url),
    report: (fault) => void faults.push(fault),
    ...options,
  });
  surface.answerWith(handlers, null);
  return Object.assign(surface, { url: `http://127.0.0.1:${surface.port}`, faults });
}
