// Words that may grow, in the contract that callers get.
import type { JsonObject, JsonPart } from './document-parts.js';

/**
 * Returns a document in which the words of answers are open: those of an enum, or any other text. Words stay closed in what callers send,
 * also where answers have the same object, and where the contract says `x-houmao-closed`.
 * @param document a bundled contract, whose words are all closed: the server's own answers are held against it
 */
export function openWords(document: JsonObject): JsonObject {
  const { schemas, ...components } = document.components as Readonly<Record<string, JsonObject>>;
  const sent = sentSchemas(document);
  const opens = opener(schemas ?? {}, sent);
  return {
    ...document,
    paths: mapped(document.paths as JsonObject, (item) =>
      mapped(item as JsonObject, (operation) => opens.responsesOf(operation)),
    ),
    components: {
      ...components,
      ...(components.responses && { responses: mapped(components.responses, opens.part) }),
      ...(components.headers && { headers: mapped(components.headers, opens.part) }),
      schemas: mapped(schemas ?? {}, (schema, name) => (sent.has(name) ? schema : opens.schema(schema))),
    },
  };
}

/** Returns the words of an open enum, which is `anyOf` of the words and any text; null for every other schema. */
export function wordsOfOpen({ anyOf }: JsonObject): readonly JsonPart[] | null {
  const [words, any] = Array.isArray(anyOf) ? (anyOf as readonly JsonPart[]) : [];
  return isObject(words) && Array.isArray(words.enum) && JSON.stringify(any) === JSON.stringify(anyText)
    ? (words.enum as readonly JsonPart[])
    : null;
}

/**
 * Returns an open enum as a text whose words are only named (`x-extensible-enum`), for generators that have no type for some words or any
 * text; null for every other schema.
 */
export function namedWords(schema: JsonObject): JsonObject | null {
  const words = wordsOfOpen(schema);
  if (words === null) return null;
  const { anyOf, example: _, ...rest } = schema;
  const isNullable = (anyOf as readonly JsonPart[]).length > 2;
  const type = isNullable ? ['string', 'null'] : 'string';
  return { ...rest, type, 'x-extensible-enum': words };
}

/**
 * Returns a document with the open words of its headers only named: oapi-codegen takes a header with `anyOf` for an object, and its clients
 * cannot read the answer (its runtime: "property/values need to be pairs").
 */
export const withPlainHeaders = (document: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(document), (name, value) =>
    name === 'headers' && isObject(value) ? mapped(value, plainHeader) : value,
  );

const plainHeader = (header: JsonPart): JsonPart =>
  isObject(header) && isObject(header.schema)
    ? { ...header, schema: namedWords(header.schema) ?? header.schema }
    : header;

const anyText = { type: 'string' };

/** Returns the words of a schema that may be open; null where it has none, or they are closed. */
function growing({ type, enum: words, 'x-houmao-closed': closed }: JsonObject): readonly JsonPart[] | null {
  const isText = [type].flat().includes('string');
  return isText && Array.isArray(words) && closed !== true ? words : null;
}

function opener(schemas: JsonObject, sent: ReadonlySet<string>) {
  const schema = (value: JsonPart): JsonPart => {
    if (!isObject(value)) return value;
    const words = growing(value);
    if (words !== null) return open(value, words);
    if (typeof value.$ref === 'string') {
      const { $ref, ...beside } = value;
      const name = nameOf($ref as string);
      const target = schemas[name] as JsonObject;
      const shared = sent.has(name) ? growing(target) : null;
      return shared === null ? value : open({ ...target, ...beside }, shared);
    }
    return mapped(value, (part, key) => {
      if (key === 'properties') return mapped(part as JsonObject, schema);
      if (key === 'items' || key === 'additionalProperties') return schema(part);
      return variants.includes(key) ? (part as readonly JsonPart[]).map(schema) : part;
    });
  };
  /** Opens the schemas of bodies and headers in any other part of the document. */
  const part = (value: JsonPart): JsonPart => {
    if (Array.isArray(value)) return value.map(part);
    if (!isObject(value)) return value;
    return mapped(value, (below, key) => {
      if (key === 'schema') return schema(below);
      return key === 'example' || key === 'examples' ? below : part(below);
    });
  };
  const responsesOf = (operation: JsonPart): JsonPart =>
    isObject(operation) && isObject(operation.responses)
      ? { ...operation, responses: part(operation.responses) }
      : operation;
  return { schema, part, responsesOf };
}

const variants = ['anyOf', 'oneOf', 'allOf'];

function open({ type, enum: _, ...rest }: JsonObject, words: readonly JsonPart[]): JsonObject {
  const known = { type: 'string', enum: words.filter((word) => word !== null) };
  const nothing = [type].flat().includes('null') ? [{ type: 'null' }] : [];
  return { ...rest, anyOf: [known, anyText, ...nothing] };
}

/** Returns the names of the schemas that callers send, and of those within them. */
function sentSchemas(document: JsonObject): ReadonlySet<string> {
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (value: JsonPart): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, below] of Object.entries(value)) {
      if (key !== '$ref' || typeof below !== 'string') visit(below);
      else if (!visited.has(below)) {
        visited.add(below);
        const [, section = '', name = ''] = below.slice(2).split('/');
        if (section === 'schemas') found.add(name);
        visit((document.components as Readonly<Record<string, JsonObject>>)[section]?.[name] ?? null);
      }
    }
  };
  for (const item of Object.values(document.paths as Readonly<Record<string, JsonObject>>))
    for (const part of [item, ...Object.values(item)].filter(isObject))
      for (const key of ['parameters', 'requestBody']) visit(part[key] ?? null);
  return found;
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';
const mapped = (object: JsonObject, change: (value: JsonPart, name: string) => JsonPart): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
const isObject = (value: JsonPart | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
