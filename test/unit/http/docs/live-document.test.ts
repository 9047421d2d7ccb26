import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { StreamedText } from '../../../../src/contract/handler-types.js';
import type { PageFacts } from '../../../../src/contract/page-facts.js';
import { liveDocument } from '../../../../src/http/docs/live-document.js';

const book = { name: 'book', in: 'path', example: 'sample' };
const body = (sample: object) => ({ content: { 'application/json': sample } });
const contract = JSON.stringify({
  paths: {
    '/books/{book}': {
      get: {
        operationId: 'getBook',
        parameters: [
          { $ref: '#/components/parameters/Book' },
          { name: 'limit', in: 'query', schema: { default: 7 } },
          { name: 'shelf', in: 'query', example: 'top' },
        ],
      },
      put: {
        operationId: 'putBook',
        parameters: [{ $ref: '#/components/parameters/Book' }],
        requestBody: body({ example: { author: 'sample', pages: 1 } }),
      },
      delete: { operationId: 'dropBook', parameters: [{ $ref: '#/components/parameters/Book' }] },
    },
    '/story': { get: { operationId: 'tellStory' } },
  },
  components: { parameters: { Book: book } },
});
type Reply = (status: number, body?: unknown) => unknown;
const story = Readable.from(['once']);
const handlers = {
  getBook: ({ path, query, body }: Record<string, unknown>, reply: Reply) =>
    reply(200, { path, query, body }),
  putBook: async (_context: unknown, reply: Reply) => reply(409, { detail: 'It is lent.' }),
  dropBook: () => {
    throw new Error('inside');
  },
  tellStory: (_context: unknown, reply: Reply) => reply(200, new StreamedText(4, story)),
};
const none: PageFacts = {
  values: async () => ({ shared: {}, of: {}, fields: {}, bodies: {} }),
  refusals: async () => ({}),
};

test('live values stand in the place of samples, for all operations, for one, and in bodies', async () => {
  const document = await liveDocument(contract, handlers, {
    ...none,
    values: async () => ({
      shared: { book: 'here' },
      of: { dropBook: { book: 'old' }, getBook: { shelf: null } },
      fields: { author: 'Ann' },
      bodies: {},
    }),
  });
  const { get, put, delete: drop } = document.paths['/books/{book}']!;
  expect(get?.parameters?.map((one) => 'example' in one && one.example)).toEqual(['here', false, false]);
  expect(drop?.parameters).toEqual([{ ...book, example: 'old' }]);
  expect(put?.requestBody?.content['application/json']).toEqual({ example: { author: 'Ann', pages: 1 } });
});

test('a whole body comes first, and the samples after it', async () => {
  const document = await liveDocument(contract, handlers, {
    ...none,
    values: async () => ({ shared: {}, of: {}, fields: {}, bodies: { putBook: { pages: 2 } } }),
  });
  const media = document.paths['/books/{book}']?.put?.requestBody?.content['application/json'];
  expect(Object.values(media?.examples ?? {}).map(({ value }) => value)).toEqual([
    { pages: 2 },
    { author: 'sample', pages: 1 },
  ]);
});

test('an operation is asked with what is filled in, and marked with the sentence of its refusal', async () => {
  const asked: unknown[] = [];
  const document = await liveDocument(contract, handlers, {
    values: async () => ({ shared: { book: 'here' }, of: {}, fields: {}, bodies: {} }),
    refusals: async (ask) => {
      asked.push(await ask('getBook'), await ask('getBook', { query: { limit: 1 }, body: 'b' }));
      asked.push(await ask('dropBook'), (await ask('tellStory')).status);
      return { putBook: String(((await ask('putBook')).body as { detail: string }).detail) };
    },
  });
  expect(asked).toEqual([
    {
      status: 200,
      body: { path: { book: 'here' }, query: { limit: 7, shelf: 'top' }, body: undefined },
    },
    { status: 200, body: { path: { book: 'here' }, query: { limit: 1, shelf: 'top' }, body: 'b' } },
    { status: 500, body: undefined },
    200,
  ]);
  expect(story.destroyed).toBe(true);
  expect(document.paths['/books/{book}']?.put?.['x-houmao-unavailable']).toBe('It is lent.');
  expect(document.paths['/books/{book}']?.get).not.toHaveProperty('x-houmao-unavailable');
});

test('a surface that tells nothing shows its contract', async () => {
  expect(await liveDocument(contract, handlers, null)).toEqual(JSON.parse(contract));
});
