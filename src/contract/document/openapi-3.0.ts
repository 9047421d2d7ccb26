// The contract as OpenAPI 3.0.3, for generators that do not read 3.1.
import type { JsonObject, JsonPart } from './document-parts.js';
import { namedWords } from './open-words.js';

/**
 * Returns a document as OpenAPI 3.0.3, without samples. It describes the same answers; of requests it says less, since 3.0 has no
 * conditions (`if`, `dependentSchemas`). Words that may grow are only named there (`x-extensible-enum`), as are those of a response header.
 * A value that may be null is written as generators read it: `nullable` beside `allOf` for a reference, and beside the words without null.
 * @param document a bundled document of OpenAPI 3.1 whose references all lead into itself
 */
export function asOpenapi30(document: JsonObject): JsonObject {
  const { summary: _summary, license, ...info } = document.info as JsonObject;
  const { schemas, ...components } = document.components as JsonObject;
  const older = older30(document);
  return {
    ...(older.part({ ...document, components }) as JsonObject),
    openapi: '3.0.3',
    info: { ...info, ...(license !== undefined && { license: license30(license as JsonObject) }) },
    components: {
      ...(older.part(components) as JsonObject),
      schemas: mapped(schemas as JsonObject, older.schema),
    },
  };
}

/** 3.0 has no identifiers of SPDX, but their pages have addresses. */
const license30 = ({ identifier, ...license }: JsonObject): JsonObject =>
  typeof identifier === 'string'
    ? { ...license, url: `https://spdx.org/licenses/${identifier}.html` }
    : license;

const mapped = (object: JsonObject, change: (value: JsonPart, name: string) => JsonPart): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

const isObject = (value: JsonPart | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNull = (schema: JsonPart): boolean => isObject(schema) && schema.type === 'null';

const isAboveZero = (not: JsonPart | undefined): boolean =>
  isObject(not) && JSON.stringify(not.enum) === '[0]';

const samples = ['example', 'examples'];
/** The keywords of 3.1 that 3.0 has no words for, and samples. */
const leftOut = ['if', 'then', 'else', 'dependentSchemas', 'dependentRequired', 'const', ...samples];

function older30(document: JsonObject) {
  const schemas = (document.components as JsonObject).schemas as JsonObject;

  /** Returns the type of a schema, also of one that is a reference or has variants: beside `nullable` it has to stand. */
  const typeOf = (schema: JsonPart | undefined): JsonPart => {
    if (!isObject(schema)) return 'object';
    if (typeof schema.$ref === 'string') return typeOf(schemas[schema.$ref.split('/').at(-1) ?? '']);
    const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    return schema.type ?? (Array.isArray(variants) ? typeOf(variants[0] as JsonPart) : 'object');
  };

  /** Returns a value that may be null as one that is `nullable`. */
  const nullable = (schema: JsonObject): JsonObject => {
    const { anyOf, type, ...rest } = schema;
    if (Array.isArray(type)) {
      const words = Array.isArray(rest.enum) && { enum: rest.enum.filter((word: JsonPart) => word !== null) };
      return { ...rest, ...words, type: type.find((name) => name !== 'null') as JsonPart, nullable: true };
    }
    const variants = Array.isArray(anyOf) ? (anyOf as readonly JsonPart[]) : [];
    if (!variants.some(isNull)) return schema;
    const [only, ...others] = variants.filter((variant) => !isNull(variant));
    if (others.length > 0)
      return { ...rest, type: typeOf(only), nullable: true, anyOf: [only as JsonPart, ...others] };
    const value = only as JsonObject;
    return value.$ref === undefined
      ? { ...value, ...rest, nullable: true }
      : { ...rest, type: typeOf(value), nullable: true, allOf: [value] };
  };

  const schema = (value: JsonPart): JsonPart => {
    if (!isObject(value)) return value;
    const { $ref, example: _example, ...beside } = value;
    if ($ref !== undefined)
      return Object.keys(beside).length === 0 ? { $ref } : { ...beside, allOf: [{ $ref }] };
    const { not, ...made } = nullable(namedWords(value) ?? value);
    const kept = Object.fromEntries(Object.entries(made).filter(([name]) => !leftOut.includes(name)));
    return {
      ...mapped(kept, (part, name) => inSchema(part, name)),
      ...(value.const !== undefined && { enum: [value.const] }),
      // A number above zero: 3.1 writes it with `not`, since its own `exclusiveMinimum` is no boolean.
      ...(isAboveZero(not) ? { exclusiveMinimum: true } : not !== undefined && { not: schema(not) }),
    };
  };

  const inSchema = (part: JsonPart, name: string): JsonPart => {
    if (name === 'properties') return mapped(part as JsonObject, schema);
    if (name === 'items' || name === 'additionalProperties') return schema(part);
    return ['anyOf', 'oneOf', 'allOf'].includes(name) ? (part as readonly JsonPart[]).map(schema) : part;
  };

  /** Returns the schema of a response header. */
  const header = (value: JsonPart): JsonPart => {
    if (!isObject(value) || !isObject(value.schema)) return value;
    const { enum: words, ...rest } = schema(value.schema) as JsonObject;
    const { example: _example, ...kept } = value;
    return { ...kept, schema: { ...rest, ...(words !== undefined && { 'x-extensible-enum': words }) } };
  };

  /** Returns any part of the document that is not a schema, with those in it changed. */
  const part = (value: JsonPart, name = ''): JsonPart => {
    if (Array.isArray(value)) return value.map((item: JsonPart) => part(item));
    if (!isObject(value)) return value;
    if (name === 'headers') return mapped(value, header);
    const kept = Object.fromEntries(Object.entries(value).filter(([its]) => !samples.includes(its)));
    return mapped(kept, (below, its) => (its === 'schema' ? schema(below) : part(below, its)));
  };
  return { schema, part };
}
