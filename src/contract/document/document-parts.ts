// Parts of an OpenAPI document that are complete by themselves.
import { sharedErrors } from './catalogues.js';
import { type ContractDocument, methods } from './contract-document.js';

/** Any part of a document that is JSON. */
export type JsonPart =
  | null
  | boolean
  | number
  | string
  | readonly JsonPart[]
  | { readonly [name: string]: JsonPart };
export type JsonObject = { readonly [name: string]: JsonPart };

/** Returns a document with one of its parts, and with those to which its references lead, directly or not. */
export function partOf(document: JsonObject, path: readonly string[]): JsonObject {
  if (path.length === 0) return document;
  const { paths: _paths, components: _components, ...part } = document;
  const kept: JsonObject = { ...part, paths: {}, components: {} };
  return withPart(document, kept, path);
}

function withPart(document: JsonObject, kept: JsonObject, path: readonly string[]): JsonObject {
  const found = at(document, path);
  if (found === undefined || at(kept, path) !== undefined) return kept;
  return referencesIn(found).reduce(
    (all, reference) => withPart(document, all, reference),
    withAt(kept, path, found),
  );
}

const at = (document: JsonPart, path: readonly string[]): JsonPart | undefined =>
  path.reduce<JsonPart | undefined>(
    (part, name) => (typeof part === 'object' && part !== null ? (part as JsonObject)[name] : undefined),
    document,
  );

/** Returns a copy that has a value at a place, with the objects on the way to it. */
function withAt(document: JsonObject, [name = '', ...rest]: readonly string[], value: JsonPart): JsonObject {
  const below = document[name];
  const inner = typeof below === 'object' && below !== null ? (below as JsonObject) : {};
  return { ...document, [name]: rest.length === 0 ? value : withAt(inner, rest, value) };
}

/** Returns the places to which the references below a part lead. */
function referencesIn(part: JsonPart): string[][] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [placeOf(value)] : referencesIn(value),
  );
}

const placeOf = (reference: string): string[] =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * Returns the document of one tag: its operations, and everything that they refer to. So that a reader with little room has it whole, samples are left out,
 * the kinds of events are only named, and the errors that all operations answer alike are one answer.
 * @returns null where no operation has the tag.
 */
export function tagDocument(document: JsonObject, tag: string): JsonObject | null {
  const { paths, components, tags, info, ...rest } = shortened(document) as Readonly<
    Record<string, JsonObject>
  >;
  const shared = sharedErrors(document as unknown as ContractDocument).map(({ status }) => status);
  const ofTag = Object.entries(paths ?? {}).flatMap(([path, item]) => {
    const operations = Object.entries(item as JsonObject)
      .filter(([method, operation]) => isOperation(method) && tagsOf(operation as JsonObject).includes(tag))
      .map(([method, operation]) => [method, withoutShared(operation as JsonObject, shared)] as const);
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const];
  });
  if (ofTag.length === 0) return null;
  const { description: _, ...named } = info as JsonObject;
  const { securitySchemes = {} } = components as JsonObject;
  const kept: JsonObject = {
    ...rest,
    info: { ...named, description: whole },
    tags: (tags as unknown as JsonObject[]).filter(({ name }) => name === tag),
    paths: Object.fromEntries(ofTag),
    components: { securitySchemes },
  };
  const all: JsonObject = {
    ...kept,
    components: {
      ...components,
      responses: { ...(components?.responses as JsonObject), Shared: sharedAnswer(shared) },
    },
  };
  return referencesIn(kept.paths as JsonPart).reduce(
    (part, reference) => withPart(all, part, reference),
    kept,
  );
}

const isOperation = (method: string): boolean => (methods as readonly string[]).includes(method);
const tagsOf = ({ tags = [] }: JsonObject): readonly string[] => tags as readonly string[];

/** Returns an operation with one answer in place of those that all operations have. */
function withoutShared(operation: JsonObject, shared: readonly string[]): JsonObject {
  const own = Object.entries(operation.responses as JsonObject).filter(
    ([status]) => !shared.includes(status),
  );
  return {
    ...operation,
    responses: { ...Object.fromEntries(own), default: { $ref: '#/components/responses/Shared' } },
  };
}

/** The answer of any operation with one of these statuses. */
const sharedAnswer = (shared: readonly string[]): JsonObject => ({
  description: `An error that every operation can answer (${shared.join(', ')}): X-Houmao-Error-Code has its word, and /docs/errors.md the meaning.`,
  content: { 'application/json': { schema: { type: 'object', properties: { detail: {} } } } },
});

const whole =
  'The operations of one tag. The introduction, the samples and the other tags are in /openapi.json; /llms.txt lists all operations.';

/** Returns a document without samples and without what only this project reads, and with one schema for all kinds of events. */
function shortened(document: JsonObject): JsonObject {
  const without = ['example', 'examples'];
  const short = JSON.parse(
    JSON.stringify(document, (name, value: unknown) =>
      without.includes(name) || name.startsWith('x-') ? undefined : value,
    ),
  ) as JsonObject;
  const event = at(short, eventPlace) as JsonObject | undefined;
  return event === undefined ? short : withAt(short, eventPlace, anyEvent(short, event));
}

const eventPlace = ['components', 'schemas', 'GatewayEvent'];

/** Returns what all kinds of events have in common, with their names. @param event the schema that has one variant for each kind. */
function anyEvent(document: JsonObject, { description, discriminator }: JsonObject): JsonObject {
  const kinds = Object.entries((discriminator as JsonObject).mapping as Readonly<Record<string, string>>);
  const [, first = ''] = kinds[0] ?? [];
  const variant = at(document, placeOf(first)) as JsonObject;
  const kind = {
    // New ones may come with any release.
    anyOf: [{ enum: kinds.map(([name]) => name) }, { type: 'string' }],
    description: 'The fields of data by kind: /docs/events.md.',
  };
  const properties = { ...(variant.properties as JsonObject), kind, data: { type: 'object' } };
  return { ...variant, ...(description !== undefined && { description }), properties };
}
