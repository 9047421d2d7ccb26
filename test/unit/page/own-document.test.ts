import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonObject, partOf } from '../../../src/page/own-document.js';

const read = (surface: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../generated/${surface}/openapi.json`, import.meta.url), 'utf8'));

/** The references in a document. */
const referencesOf = (document: JsonObject): string[] => {
  const found: string[] = [];
  JSON.stringify(document, (name, value) => {
    if (name === '$ref' && typeof value === 'string') found.push(value);
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
    const paths = document.paths as Record<string, JsonObject>;
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
