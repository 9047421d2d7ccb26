import { errorCodeHeader } from '../../contract/refusals.js';
import { patternsBesideFormats } from './formats.js';

/** An OpenAPI document or a part of one, as JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const methods = ['get', 'put', 'post', 'delete'] as const;
/** The walls answer with these before the operation is known; such answers never pass through the response validator. */
const transportStatuses = new Set(['403', '408', '413', '415', '421', '431']);
/** An operation that refuses with such a status itself has a code of its own beside that of the walls. */
const isOfWalls = (status: string, codes: unknown): boolean =>
  transportStatuses.has(status) && !(Array.isArray(codes) && codes.length > 1);
/** Returns whether a status is a fault: the validator skips these, so that only the types check them. */
const isFault = (status: string): boolean => status.startsWith('5');
/** The keys of prose. ajv walks the whole document for each of some hundred validators, and prose is most of it. */
const prose = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'title',
  'info',
  'tags',
  'servers',
  'externalDocs',
  'x-houmao-error-codes',
]);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes the copy of the bundle that express-openapi-validator gets; the bundle that is served and generated from stays
 * unchanged. Three of its defects with OpenAPI 3.1 are avoided by writing the same meaning in another way: it cannot take a
 * discriminator's `mapping`, mishandles siblings and discriminator of a root `$ref`, and ignores `requestBody.required`. A
 * pattern that repeats our own format beside it is left out.
 * @throws Error when a discriminator names a variant that does not carry its tag.
 */
export function runtimeDocument(bundle: Json): Json {
  const document = withoutProse(bundle, false);
  if (!isObject(document)) throw new Error('The contract is no object.');
  simplifyDiscriminators(document, document);
  simplifyPatterns(document);
  for (const item of Object.values(document.paths as JsonObject)) {
    for (const method of methods) {
      const operation = (item as JsonObject)[method];
      if (!isObject(operation)) continue;
      requireBody(document, operation);
      const responses = operation.responses as JsonObject;
      const codes = errorCodesOf(document, responses);
      operation['x-error-codes'] = codes;
      for (const status of Object.keys(responses))
        if (isOfWalls(status, codes[status]) || isFault(status)) delete responses[status];
    }
  }
  return document;
}

/** Returns the error codes of each status that has some, including the statuses that are deleted from the copy. */
function errorCodesOf(document: JsonObject, responses: JsonObject): JsonObject {
  const codes: JsonObject = {};
  for (const [status, response] of Object.entries(responses)) {
    const { headers } = resolve(document, response);
    const header = isObject(headers) ? headers[errorCodeHeader] : undefined;
    if (header === undefined) continue;
    codes[status] = resolve(document, resolve(document, header).schema).enum ?? [];
  }
  return codes;
}

/** @param named whether the keys of this object are names (of properties, schemas, paths) and not OpenAPI's own words. */
function withoutProse(node: Json, named: boolean): Json {
  if (Array.isArray(node)) return node.map((inner) => withoutProse(inner, false));
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => named || !prose.has(key))
      .map(([key, inner]) => [
        key,
        key === 'const' || key === 'enum' || key === 'default'
          ? inner
          : withoutProse(inner, !named && holdsNames.has(key)),
      ]),
  );
}
const holdsNames = new Set([
  'properties',
  'schemas',
  'responses',
  'parameters',
  'headers',
  'paths',
  'patternProperties',
  'dependentSchemas',
]);

function resolve(document: JsonObject, value: Json | undefined): JsonObject {
  let node = value;
  while (isObject(node) && typeof node.$ref === 'string') {
    node = node.$ref
      .slice(2)
      .split('/')
      .reduce<Json | undefined>(
        (at, key) => (isObject(at) ? at[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
        document,
      );
  }
  if (!isObject(node)) throw new Error(`The contract refers to nothing: ${JSON.stringify(value)}`);
  return node;
}

function simplifyDiscriminators(document: JsonObject, node: Json): void {
  if (Array.isArray(node)) for (const inner of node) simplifyDiscriminators(document, inner);
  if (!isObject(node)) return;
  const discriminator = node.discriminator;
  if (isObject(discriminator) && isObject(discriminator.mapping) && node.oneOf) {
    const property = String(discriminator.propertyName);
    for (const [tag, reference] of Object.entries(discriminator.mapping)) {
      const variant = resolve(document, { $ref: reference });
      const carried = resolve(document, (variant.properties as JsonObject)[property]);
      if (carried.const !== tag) throw new Error(`${reference} does not carry ${property} = ${tag}`);
    }
    // An error takes the list of existing tags from here.
    node['x-tags'] = Object.keys(discriminator.mapping);
    delete discriminator.mapping;
    node.type ??= 'object';
    node.required ??= [property];
  }
  for (const inner of Object.values(node)) simplifyDiscriminators(document, inner);
}

function simplifyPatterns(node: Json): void {
  if (Array.isArray(node)) for (const inner of node) simplifyPatterns(inner);
  if (!isObject(node)) return;
  if (typeof node.format === 'string' && typeof node.pattern === 'string') {
    const rest = patternsBesideFormats[node.format]?.[node.pattern];
    if (rest === null) delete node.pattern;
    else if (rest !== undefined) node.pattern = rest;
  }
  for (const inner of Object.values(node)) simplifyPatterns(inner);
}

function requireBody(document: JsonObject, operation: JsonObject): void {
  if (!operation.requestBody) return;
  const body = structuredClone(resolve(document, operation.requestBody));
  operation.requestBody = body;
  for (const media of Object.values(body.content as { [type: string]: JsonObject })) {
    // The wrapper avoids the code path of root references; a `required` that is present, even empty, makes the body mandatory.
    media.schema = { allOf: [media.schema ?? {}], ...(body.required ? { required: [] } : {}) };
  }
}
