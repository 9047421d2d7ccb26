import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Json, runtimeDocument } from '../../../../src/http/contract/runtime-document.js';

// biome-ignore lint/suspicious/noExplicitAny: the test walks through parts of every shape.
type Part = any;
const source = readFileSync(new URL('../../../../generated/gateway/openapi.json', import.meta.url), 'utf8');

const operation = (given: object) => ({
  operationId: 'one',
  responses: { '200': { description: 'Fine.' } },
  ...given,
});
const document = (post: object, schemas: object = {}): Json =>
  ({
    openapi: '3.1.0',
    info: {},
    paths: { '/a': { post: operation(post) } },
    components: { schemas },
  }) as unknown as Json;
const bodyOf = (made: Json): Part =>
  (made as Part).paths['/a'].post.requestBody.content['application/json'].schema;

describe('the document for the validator', () => {
  test('leaves its source untouched', () => {
    const given = JSON.parse(source) as Json;
    runtimeDocument(given);
    expect(JSON.stringify(given)).toBe(JSON.stringify(JSON.parse(source)));
  });

  test('keeps every rule of the contract: operations, names, constraints', () => {
    const before = JSON.parse(source) as Part;
    const after = runtimeDocument(before) as Part;
    expect(Object.keys(after.paths)).toEqual(Object.keys(before.paths));
    expect(Object.keys(after.components.schemas)).toEqual(Object.keys(before.components.schemas));
    const { pattern, format } = after.components.schemas.SubmitPromptPayload.properties.prompt;
    expect([pattern, format]).toEqual(['\\S', 'process-text']);
    expect(after.components.schemas.ModelOverride['x-rule']).toBe(
      'at least one of name or reasoning must be set',
    );
    const count = (node: Part, key: string): number =>
      node === null || typeof node !== 'object'
        ? 0
        : Object.entries(node).reduce(
            (sum, [name, inner]) => sum + (name === key ? 1 : 0) + count(inner, key),
            0,
          );
    // Each names its discriminator as required.
    const unions = count(before.components.schemas, 'discriminator');
    for (const key of [
      '$ref',
      'required',
      'minimum',
      'maximum',
      'additionalProperties',
      'x-rule',
      'const',
      'enum',
    ]) {
      expect([key, count(after.components.schemas, key)]).toEqual([
        key,
        count(before.components.schemas, key) + (key === 'required' ? unions : 0),
      ]);
    }
  });

  test('drops prose, but no property, schema or header that is called like prose', () => {
    const properties = {
      description: { type: 'string', description: 'x' },
      title: { type: 'string' },
      example: {},
    };
    const made = runtimeDocument(document({}, { title: { type: 'object', title: 'T', properties } })) as Part;
    expect(made.components.schemas.title).toEqual({
      type: 'object',
      properties: { description: { type: 'string' }, title: { type: 'string' }, example: {} },
    });
    expect(made.info).toBeUndefined();
  });

  test('leaves values alone that only look like parts of a schema', () => {
    const value = { description: 'kept', type: 'x' };
    const made = runtimeDocument(
      document({}, { A: { const: value, enum: [value], default: value } }),
    ) as Part;
    expect(made.components.schemas.A).toEqual({ const: value, enum: [value], default: value });
  });

  test('asks for a body exactly where the contract does', () => {
    const content = { 'application/json': { schema: { type: 'string' } } };
    const wanted = bodyOf(runtimeDocument(document({ requestBody: { required: true, content } })));
    expect(wanted).toEqual({ allOf: [{ type: 'string' }], required: [] });
    const optional = bodyOf(runtimeDocument(document({ requestBody: { content } })));
    expect(optional).toEqual({ allOf: [{ type: 'string' }] });
  });

  test('answers of the walls and faults are not looked at again', () => {
    const responses = Object.fromEntries(
      ['200', '403', '404', '413', '415', '421', '422', '431', '500', '501', '503'].map((code) => [code, {}]),
    );
    const made = runtimeDocument(document({ responses })) as Part;
    expect(Object.keys(made.paths['/a'].post.responses)).toEqual(['200', '404', '422']);
  });

  const union = (tag: string) => ({
    A: { type: 'object', properties: { kind: { const: tag } } },
    Union: {
      oneOf: [{ $ref: '#/components/schemas/A' }],
      discriminator: { propertyName: 'kind', mapping: { a: '#/components/schemas/A' } },
    },
  });

  test('says a discriminator in words that ajv takes', () => {
    const made = runtimeDocument(document({}, union('a'))) as Part;
    expect(made.components.schemas.Union).toEqual({
      oneOf: [{ $ref: '#/components/schemas/A' }],
      discriminator: { propertyName: 'kind' },
      'x-tags': ['a'],
      type: 'object',
      required: ['kind'],
    });
  });

  test('refuses a discriminator whose variant carries another tag, and a reference to nothing', () => {
    expect(() => runtimeDocument(document({}, union('b')))).toThrow('does not carry kind = a');
    expect(() =>
      runtimeDocument(document({ requestBody: { $ref: '#/components/requestBodies/X' } })),
    ).toThrow('refers to nothing');
    expect(() => runtimeDocument([])).toThrow();
  });
});
