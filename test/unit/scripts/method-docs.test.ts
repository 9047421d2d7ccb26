import ts from 'typescript';
import { expect, test } from 'vitest';

const script = new URL('../../../scripts/method-docs.mjs', import.meta.url).href;
const { methodDocs } = (await import(script)) as {
  methodDocs: (document: object, groups?: object) => string;
};

const answer = (description: string) => ({ description });
const document = {
  components: {
    parameters: { Book: { name: 'book', in: 'path', description: 'Which one.' } },
    responses: { Gone: answer('It is\nnot here.\n\nIt was sold.') },
    schemas: { Loan: { description: 'For how long.' } },
  },
  paths: {
    '/books/{book}': {
      parameters: [{ $ref: '#/components/parameters/Book' }],
      get: {
        operationId: 'getBook',
        summary: 'Read a book',
        description: 'Ends no comment: */ and goes\non.\n\nA second paragraph.',
        parameters: [{ name: 'If-None-Match', in: 'header', description: 'A mark.' }],
        responses: {
          200: answer('It.'),
          404: { $ref: '#/components/responses/Gone' },
          418: answer('Teapot.'),
          500: answer('Fault.'),
        },
      },
      put: {
        operationId: 'lendBook',
        summary: 'May I?',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Loan' } } } },
        responses: {
          200: answer('Yes.'),
          404: { $ref: '#/components/responses/Gone' },
          500: answer('Another fault.'),
        },
      },
    },
  },
};

test('a comment says what its operation does, takes and throws, and what all of them share', () => {
  expect(methodDocs(document).split('\n').slice(3)).toEqual([
    'export interface Documented {',
    '  /**',
    '   * Read a book.',
    '   *',
    '   * Ends no comment: *\\/ and goes on.',
    '   *',
    '   * `GET /books/{book}`',
    '   *',
    '   * @param options -',
    '   * - `path.book`: Which one.',
    "   * - `headers['If-None-Match']`: A mark.",
    '   *',
    '   * @throws 418: Teapot.',
    '   * @throws 500: Fault.',
    '   * @throws 404: as every operation.',
    '   */',
    '  getBook: unknown;',
    '  /**',
    '   * May I?',
    '   *',
    '   * `PUT /books/{book}`',
    '   *',
    '   * @param options -',
    '   * - `path.book`: Which one.',
    '   * - `body`: For how long.',
    '   *',
    '   * @throws 500: Another fault.',
    '   * @throws 404: as every operation.',
    '   */',
    '  lendBook: unknown;',
    '}',
    '',
    'export interface DocumentedGroups {',
    '}',
    '',
  ]);
});

test('what is said once is said in full where there is only one operation', () => {
  const { get, parameters } = document.paths['/books/{book}'];
  const text = methodDocs({ ...document, paths: { '/books/{book}': { get, parameters } } });
  expect(text).toContain('   * @throws 404: It is not here.\n');
  expect(text).not.toContain('as every operation');
});

const groups = { books: { read: 'getBook' } };

test('a group has the comments of its operations under their short names', () => {
  const text = methodDocs(document, groups);
  const documented = (id: string) =>
    text
      .slice(0, text.indexOf(`  ${id}`))
      .split('/**')
      .at(-1)!;
  expect(text).toContain('  /**\n   * Short names: `read` is `getBook`.\n   */\n  books: BooksGroup;\n');
  expect(documented(`read: 'getBook';`)).toBe(documented('getBook: unknown;'));
  expect(text.match(/getBook: unknown/g)).toHaveLength(1);
});

test('a group whose operation is not there is refused', () => {
  expect(() => methodDocs(document, { books: { burn: 'burnBook' } })).toThrow(/burnBook/);
});

test('the file is TypeScript', () => {
  const { diagnostics } = ts.transpileModule(methodDocs(document, groups), { reportDiagnostics: true });
  expect(diagnostics).toEqual([]);
});
