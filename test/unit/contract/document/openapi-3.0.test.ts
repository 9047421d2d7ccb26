import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contract/document/document-parts.js';
import { asOpenapi30 } from '../../../../src/contract/document/openapi-3.0.js';

const read = (surface: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

/** A schema of 3.1 as one of 3.0, beside those to which it may refer. */
const older = (schema: JsonObject): unknown => {
  const schemas = {
    Thing: { type: 'object' },
    Word: { type: 'string' },
    Either: { oneOf: [{ $ref: '#/components/schemas/Word' }] },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'x' },
    paths: {},
    components: { schemas: { ...schemas, It: schema } },
  };
  return ((asOpenapi30(document).components as JsonObject).schemas as JsonObject).It;
};
const thing = { $ref: '#/components/schemas/Thing' };

test.each<[what: string, of31: JsonObject, of30: JsonObject]>([
  [
    'a type or null',
    { type: ['string', 'null'], minLength: 1 },
    { type: 'string', minLength: 1, nullable: true },
  ],
  [
    'a reference or null',
    { description: 'x', anyOf: [thing, { type: 'null' }] },
    { description: 'x', type: 'object', nullable: true, allOf: [thing] },
  ],
  [
    'a reference or null, whose type is behind another reference',
    { anyOf: [{ $ref: '#/components/schemas/Either' }, { type: 'null' }] },
    { type: 'string', nullable: true, allOf: [{ $ref: '#/components/schemas/Either' }] },
  ],
  [
    'words or null',
    { description: 'x', type: ['string', 'null'], enum: ['a', null] },
    { description: 'x', type: 'string', enum: ['a'], nullable: true },
  ],
  [
    'several things or null',
    { anyOf: [thing, { type: 'object', required: ['a'] }, { type: 'null' }] },
    { type: 'object', nullable: true, anyOf: [thing, { type: 'object', required: ['a'] }] },
  ],
  ['a word', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
  ['a reference with a description', { ...thing, description: 'x' }, { description: 'x', allOf: [thing] }],
  [
    'a number above zero',
    { type: 'number', minimum: 0, not: { enum: [0] } },
    { type: 'number', minimum: 0, exclusiveMinimum: true },
  ],
  ['a value that is not', { type: 'string', not: { const: 'a' } }, { type: 'string', not: { enum: ['a'] } }],
  ['conditions', { type: 'object', if: {}, else: {}, dependentSchemas: {} }, { type: 'object' }],
  [
    'what is inside, whatever its name',
    {
      type: 'object',
      properties: { example: { type: ['integer', 'null'] }, list: { items: { const: 1 } } },
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { example: { type: 'integer', nullable: true }, list: { items: { enum: [1] } } },
      additionalProperties: false,
    },
  ],
])('%s of 3.1 has its form of 3.0', (_what, of31, of30) => {
  expect(older(of31)).toEqual(of30);
});

test.each(['gateway', 'managed-agent'])(
  'the %s has the same operations and schemas, in words of 3.0 only',
  (surface) => {
    const [document, made] = [read(surface), asOpenapi30(read(surface))];
    expect(made.openapi).toBe('3.0.3');
    const operations = ({ paths }: JsonObject) =>
      Object.entries(paths as JsonObject).map(([path, item]) => [path, Object.keys(item as JsonObject)]);
    expect(operations(made)).toEqual(operations(document));
    const schemas = ({ components }: JsonObject) =>
      Object.keys((components as JsonObject).schemas as JsonObject);
    expect(schemas(made)).toEqual(schemas(document));
    const odd: unknown[] = [];
    JSON.stringify(made, (name, value) => {
      if (name === 'type' && (Array.isArray(value) || value === 'null')) odd.push(value);
      if (name === '$ref' && typeof value !== 'string') odd.push(value);
      if (['const', 'if', 'dependentSchemas'].includes(name)) odd.push(name);
      return value;
    });
    expect(odd).toEqual([]);
  },
);

test('the words of a header are named, and others may come', () => {
  const text = JSON.stringify(asOpenapi30(read('gateway')));
  expect(text).toContain('"schema":{"type":"string","x-extensible-enum":["unknown_request"]}');
});
