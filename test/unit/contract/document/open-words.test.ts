import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contract/document/document-parts.js';
import {
  namedWords,
  openWords,
  withPlainHeaders,
  wordsOfOpen,
} from '../../../../src/contract/document/open-words.js';

const read = (surface: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

const words = { type: 'string', enum: ['a', 'b'] };
const open = { anyOf: [words, { type: 'string' }] };

/** A schema of an answer as callers get it, beside one that callers send. */
function opened(schema: JsonObject): unknown {
  const json = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const document = {
    paths: { '/x': { post: { requestBody: json('Sent'), responses: { 200: json('Given') } } } },
    components: {
      schemas: {
        Sent: { properties: { mode: { $ref: '#/components/schemas/Mode' } } },
        Mode: words,
        Given: schema,
      },
    },
  };
  const { schemas } = openWords(document).components as { schemas: JsonObject };
  expect([schemas.Sent, schemas.Mode]).toEqual([document.components.schemas.Sent, words]);
  return schemas.Given;
}

test.each<[what: string, closed: JsonObject, asGiven: JsonObject]>([
  ['words', { ...words, description: 'x' }, { description: 'x', ...open }],
  [
    'words or null',
    { type: ['string', 'null'], enum: ['a', 'b', null] },
    { anyOf: [...open.anyOf, { type: 'null' }] },
  ],
  [
    'words in a property, in a list, in a variant',
    { properties: { one: words, many: { items: words } }, oneOf: [words, { type: 'null' }] },
    { properties: { one: open, many: { items: open } }, oneOf: [open, { type: 'null' }] },
  ],
  [
    'words that callers send, too',
    { $ref: '#/components/schemas/Mode', description: 'x' },
    { description: 'x', ...open },
  ],
  [
    'words that the contract closes',
    { ...words, 'x-houmao-closed': true },
    { ...words, 'x-houmao-closed': true },
  ],
  ['a constant, and what must not be', { const: 'a', not: words }, { const: 'a', not: words }],
  ['a number', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
])('%s, in an answer', (_what, closed, asGiven) => {
  expect(opened(closed)).toEqual(asGiven);
});

test('an open enum has its words, and can be only named', () => {
  expect(wordsOfOpen(open)).toEqual(['a', 'b']);
  expect(wordsOfOpen({ anyOf: [words, { type: 'null' }] })).toBeNull();
  expect(namedWords({ description: 'x', ...open })).toEqual({
    description: 'x',
    type: 'string',
    'x-extensible-enum': ['a', 'b'],
  });
  expect(namedWords({ anyOf: [...open.anyOf, { type: 'null' }] })).toMatchObject({
    type: ['string', 'null'],
  });
  expect(namedWords(words)).toBeNull();
});

test.each(['gateway', 'managed-agent'])('what callers of the %s contract send stays as it is', (surface) => {
  const document = read(surface);
  const sent = ({ paths }: JsonObject) =>
    Object.values(paths as JsonObject).flatMap((item) =>
      Object.values(item as JsonObject).map((operation) => {
        const { parameters, requestBody } = operation as JsonObject;
        return [parameters, requestBody];
      }),
    );
  expect(sent(openWords(document))).toEqual(sent(document));
});

test('the words of headers are only named, those of bodies are not', () => {
  const text = JSON.stringify(withPlainHeaders(openWords(read('gateway'))));
  expect(text).toContain('"schema":{"type":"string","x-extensible-enum":["unknown_request"]}');
  expect(text).toContain(
    '"anyOf":[{"type":"string","enum":["queue","direct","reminder","notifier"]},{"type":"string"}]',
  );
});

/** The words on which callers branch to the last one. A new one among them breaks callers, and a new list here is a decision. */
test('these words are closed in answers', () => {
  const closed = new Set<string>();
  for (const surface of ['gateway', 'managed-agent'])
    JSON.stringify(read(surface), (_name, value) => {
      if (value?.['x-houmao-closed']) closed.add(value.enum.filter(Boolean).join(' '));
      return value;
    });
  expect([...closed].sort()).toEqual([
    'accepted running completed failed coalesced',
    'accepted running completed failed coalesced cancelled',
    'active completed failed interrupted unknown',
    'completed failed interrupted replaced',
    'pending delivered failed',
    'running ended',
    'true',
    'true unknown',
    'tui headless',
    'unknown',
    'yes no unknown',
  ]);
});
