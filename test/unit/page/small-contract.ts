import type { ContractDocument, ContractResponse } from '../../../src/contract/document/contract-document.js';

const codes = (...words: string[]): Pick<ContractResponse, 'headers'> => ({
  headers: { 'X-Houmao-Error-Code': { schema: { enum: words } } },
});
const shared = {
  '401': { $ref: '#/components/responses/Token' },
  '403': { description: 'Not you.', ...codes('caller_refused') },
};
const withBody = { '413': { description: 'Too\nlarge.', ...codes('body_too_large') } };

/** A library of two operations that read and two that write. */
export const smallContract: ContractDocument & { security: unknown } = {
  info: {
    title: 'Library',
    version: '7',
    description: 'Begin with `GET /books/{book}?wait=1`, not with `GET /films`.',
  },
  security: [{ token: [] }],
  paths: {
    '/books/{book}': {
      get: {
        operationId: 'getBook',
        tags: ['books'],
        summary: 'Read a book',
        description: 'See `PUT\n/books/{book}`.',
        parameters: [
          { $ref: '#/components/parameters/Book' },
          { name: 'wait', in: 'query', example: 0, schema: { type: 'integer' } },
          { name: 'page', in: 'query' },
          { name: 'sold', in: 'query', schema: { type: 'boolean' } },
          { name: 'Reader-Card', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          '200': {
            description: 'It.',
            content: { 'application/json': {} },
            links: {
              back: { operationId: 'putBook', description: 'Put it back.' },
              none: { operationId: 'burnBook' },
            },
          },
          ...shared,
          '404': { description: 'No such book.', ...codes('unknown_book') },
        },
      },
      put: {
        operationId: 'putBook',
        tags: ['books'],
        summary: 'Put a book back',
        requestBody: {
          content: {
            'application/json': {
              examples: { kept: { value: { title: 'It\'s "new"\n', pages: null, tags: ['a', 'b'] } } },
            },
          },
        },
        responses: {
          '200': { description: 'There.' },
          ...shared,
          ...withBody,
          '404': { description: 'No such shelf.', ...codes('unknown_book', 'unknown_shelf') },
        },
        'x-houmao-unavailable': 'The library is closed. Open it: open <key>',
      },
    },
    '/loans': {
      get: {
        operationId: 'listLoans',
        tags: ['loans'],
        summary: 'List loans',
        responses: { '200': { description: 'Lines.', content: { 'text/plain': {} } }, ...shared },
      },
      post: {
        operationId: 'lend',
        tags: ['loans'],
        summary: 'Lend a book',
        requestBody: { content: { 'application/json': { example: {} } } },
        responses: { '200': { description: 'Lent.' }, ...shared, ...withBody },
      },
    },
  },
  components: {
    'x-houmao-error-codes': { unknown_book: 'There is no such book.', token_refused: 'The token is wrong.' },
    securitySchemes: { token: {} },
    parameters: { Book: { name: 'book', in: 'path', required: true, example: 'a b' } },
    responses: { Token: { description: 'A token is needed.', ...codes('token_refused') } },
    schemas: {
      GatewayEvent: { discriminator: { mapping: { lent: '#/components/schemas/LentEvent' } } },
      LentEvent: {
        description: 'A book\nwas lent.',
        properties: { kind: { const: 'lent' }, data: { $ref: '#/components/schemas/LentData' } },
      },
      LentData: { properties: { book: { description: 'Which one.' } } },
    },
  },
};
