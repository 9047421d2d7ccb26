import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ContractDocument, operationsOf } from '../../../../src/contract/document/contract-document.js';
import { indexText, tagText } from '../../../../src/contract/document/document-text.js';
import { smallContract } from '../../page/small-contract.js';

const read = (surface: string): ContractDocument =>
  JSON.parse(readFileSync(new URL(`../../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

describe.each(['gateway', 'managed-agent'])('the index of the %s', (surface) => {
  const document = read(surface);
  const index = indexText(document);

  test('has every operation with its path, method and summary, below the path of its text', () => {
    const all = index.replaceAll(/~(?=[/:])/g, '/houmao/agents/{agent_ref}');
    for (const { method, path, operation } of operationsOf(document)) {
      const [section = ''] = all.split('\n## ').filter((part) => part.startsWith(`${operation.tags![0]}.md`));
      const line = section.split('\n').find((one) => one.startsWith(`- ${path}: `));
      expect([operation.operationId, line]).toEqual([
        operation.operationId,
        expect.stringContaining(`${method.toUpperCase()} ${operation.summary}`),
      ]);
    }
  });

  test('is short: at most 6,000 characters, some 1,500 tokens', () => {
    expect(index.length).toBeGreaterThan(1000);
    expect(index.length).toBeLessThan(6000);
  });

  test('the text of each tag has its operations, parameters and the fields of its bodies', () => {
    for (const { method, path, operation } of operationsOf(document)) {
      const text = tagText(document, operation.tags![0]!)!;
      expect(text).toContain(`\n## ${method.toUpperCase()} ${path}\n`);
      for (const status of Object.keys(operation.responses)) expect(text).toContain(status);
    }
  });
});

test('a text says what a call takes and answers, with the fields within fields', () => {
  const library: ContractDocument = {
    ...smallContract,
    tags: [{ name: 'books', description: 'To\nread.' }],
    paths: {
      '/books/{book}': {
        put: {
          operationId: 'putBook',
          tags: ['books'],
          summary: 'Put a book back',
          parameters: [
            { name: 'wait', in: 'query', description: 'Up to\na day.', schema: { type: 'integer' } },
          ],
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['shelf'],
                  properties: {
                    shelf: {
                      type: 'object',
                      description: 'Where.',
                      properties: { row: { enum: ['a', 'b'] } },
                    },
                    notes: { type: ['array', 'null'], items: { type: 'string' } },
                  },
                },
              },
            },
          },
          responses: { '204': { description: 'There.' } },
        },
      },
    },
  };
  const text = tagText(library, 'books')!;
  expect(text).toContain('# books: To read.\n');
  expect(text.slice(text.indexOf('## PUT'))).toBe(
    [
      '## PUT /books/{book}',
      'Put a book back (`putBook`)',
      '',
      'Parameters:',
      '- `wait` (query, integer): Up to a day.',
      '',
      'Body (application/json):',
      '- `shelf` (object, required): Where.',
      '- `shelf.row` ("a" | "b")',
      '- `notes` (array of string)',
      '',
      'Answers:',
      '- `204`: There.',
      '',
    ].join('\n'),
  );
  expect(tagText(library, 'films')).toBeNull();
});
