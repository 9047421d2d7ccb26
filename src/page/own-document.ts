import { browser, type MakePlugin } from './swagger.js';

/** Any part of a document that is JSON. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/**
 * Has Swagger UI take the document as it is, where it would read it again as YAML, and resolve the references of an operation
 * in the part of the document that it leads to, and not in all of it.
 */
export const ownDocument =
  (document: object): MakePlugin =>
  (system) => {
    const { resolveSubtree } = browser.SwaggerUIBundle.plugins.SwaggerClient(system).fn;
    return {
      statePlugins: {
        spec: {
          wrapActions: {
            parseToJson:
              (_original, { specActions }) =>
              () =>
                specActions.updateJsonSpec(document),
          },
        },
      },
      fn: {
        resolveSubtree: (whole: JsonObject, path: readonly string[], options: unknown) =>
          resolveSubtree(partOf(whole, path), path, options),
      },
    };
  };

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

const at = (document: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (part, name) => (typeof part === 'object' && part !== null ? (part as JsonObject)[name] : undefined),
    document,
  );

/** Returns a copy that has a value at a place, with the objects on the way to it. */
function withAt(document: JsonObject, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  const below = document[name];
  const inner = typeof below === 'object' && below !== null ? (below as JsonObject) : {};
  return { ...document, [name]: rest.length === 0 ? value : withAt(inner, rest, value) };
}

/** Returns the places to which the references below a part lead. */
function referencesIn(part: Json): string[][] {
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
