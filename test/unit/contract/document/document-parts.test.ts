import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ContractDocument } from '../../../../src/contract/document/contract-document.js';
import { byTag } from '../../../../src/contract/document/contract-document.js';
import { type JsonObject, partOf, tagDocument } from '../../../../src/contract/document/document-parts.js';

const read = (surface: string): ContractDocument & JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

const referencesOf = (document: JsonObject): Set<string> => {
  const found = new Set<string>();
  JSON.stringify(document, (name, value) => {
    if (name === '$ref' && typeof value === 'string') found.add(value);
    return value;
  });
  return found;
};
const at = (document: JsonObject, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as JsonObject | undefined)?.[name], document);

test.each(['gateway', 'managed-agent'])(
  'the part of each operation of the %s has it and all that it refers to, as they are, and no other operation',
  (surface) => {
    const document = read(surface);
    const paths = document.paths as unknown as Record<string, JsonObject>;
    for (const [path, item] of Object.entries(paths))
      for (const method of Object.keys(item)) {
        const part = partOf(document, ['paths', path, method]);
        expect(part.paths).toEqual({ [path]: { [method]: item[method] } });
        for (const reference of referencesOf(part)) {
          expect(at(part, reference), reference).toBeDefined();
          expect(at(part, reference)).toBe(at(document, reference));
        }
      }
  },
);

test('what is asked for alone comes alone, and for everything the document itself', () => {
  const document = {
    openapi: '3.1.0',
    paths: { '/a/b': { get: { $ref: '#/components/x/one' } } },
    components: { x: { one: { two: { $ref: '#/paths/~1a~1b' } }, other: {} }, schemas: { unused: {} } },
  };
  expect(partOf(document, [])).toBe(document);
  expect(partOf(document, ['components', 'schemas', 'unused'])).toEqual({
    openapi: '3.1.0',
    paths: {},
    components: { schemas: { unused: {} } },
  });
  // A circle, by a path with slashes.
  expect(partOf(document, ['components', 'x', 'one'])).toEqual({
    openapi: '3.1.0',
    paths: document.paths,
    components: { x: { one: document.components.x.one } },
  });
  expect(partOf(document, ['paths', '/none'])).toEqual({ openapi: '3.1.0', paths: {}, components: {} });
});

describe.each(['gateway', 'managed-agent'])('the document of a tag of the %s', (surface) => {
  const document = read(surface);
  const tags = byTag(document).map(({ name, operations }) => ({
    name,
    operations,
    part: tagDocument(document, name)!,
  }));

  test('has the operations of the tag and no others', () => {
    for (const { name, operations, part } of tags) {
      const shown = Object.values(part.paths as Record<string, Record<string, { operationId: string }>>)
        .flatMap((item) => Object.values(item))
        .map(({ operationId }) => operationId);
      expect([name, shown.sort()]).toEqual([
        name,
        operations.map(({ operation }) => operation.operationId).sort(),
      ]);
    }
  });

  test('has everything that it refers to, and nothing else', () => {
    for (const { name, part } of tags) {
      const references = referencesOf(part);
      for (const reference of references)
        expect([name, reference, at(part, reference)]).not.toContain(undefined);
      const { securitySchemes: _, ...components } = part.components as Record<string, JsonObject>;
      const present = Object.entries(components).flatMap(([section, parts]) =>
        Object.keys(parts).map((one) => `#/components/${section}/${one}`),
      );
      expect([name, present.sort()]).toEqual([name, [...references].sort()]);
    }
  });

  test('keeps parameters, bodies and own answers as they are, and names all kinds of events', () => {
    for (const { operations, part } of tags)
      for (const { method, path, operation } of operations) {
        const shown = (part.paths as Record<string, Record<string, JsonObject>>)[path]![method]!;
        expect(shown.parameters).toEqual(withoutSamples(operation.parameters));
        expect(shown.requestBody).toEqual(withoutSamples(operation.requestBody));
        const { default: shared, ...own } = shown.responses as JsonObject;
        expect(shared).toBeDefined();
        for (const [status, answer] of Object.entries(own))
          expect(answer).toEqual(withoutSamples(operation.responses[status]));
      }
    const { mapping = {} } = (
      document.components!.schemas!.GatewayEvent as { discriminator: { mapping: object } }
    ).discriminator;
    const events = tags.find(({ name }) => name === 'events')!.part;
    expect(JSON.stringify(at(events, '#/components/schemas/GatewayEvent'))).toContain(
      JSON.stringify(Object.keys(mapping)),
    );
  });
});

test('a tag that no operation has has no document', () => {
  expect(tagDocument(read('gateway'), 'none')).toBeNull();
});

const withoutSamples = (part: unknown): unknown =>
  part &&
  JSON.parse(JSON.stringify(part, (name, value) => (/^(examples?|x-.*)$/.test(name) ? undefined : value)));
