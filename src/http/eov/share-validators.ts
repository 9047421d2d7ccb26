import { createHash } from 'node:crypto';
import type { Internals } from './internals.js';

/**
 * express-openapi-validator compiles a validator per operation and status, also where they say the same, and each comes
 * with a copy of all components, which ajv compiles anew. Here equal schemas share one validator, and the components
 * are one schema of their own that is compiled once, or not at all where the build has compiled them before. A start
 * takes seconds without this. No upstream issue is known. Remove when the test `share-validators` says that equal schemas
 * share by themselves.
 */
export function shareValidators(internals: Internals, store: ValidatorStore): void {
  const util = internals.util as { useAjvCache: UseCache };
  const useCache = util.useAjvCache;
  if (sharing.has(useCache)) return;
  const shelves = new WeakMap<Ajv, ValidatorShelf>();
  const shared: UseCache = (ajv, schema, _key) => {
    const { components, paths: _paths, ...own } = schema;
    let shelf = shelves.get(ajv);
    if (!shelf) {
      // Polishing the generated code costs a start more than it gains in a year of requests.
      ajv.opts.code.optimize = false;
      ajv.opts.inlineRefs = false;
      // An error then brings the schema that it broke, and with it the text of our rule (`x-rule`).
      ajv.opts.verbose = true;
      shelf = store.shelfFor(ajv, digest(JSON.stringify([plainOptions(ajv), components])));
      shelves.set(ajv, shelf);
      ajv.addSchema({ $id: contractId, components }, contractId);
    }
    const text = JSON.stringify(own).replaceAll('"#/components/', `"${contractId}#/components/`);
    const key = `shared-${digest(text)}`;
    const known = shelf.find(key);
    if (known !== undefined) return known;
    const made = useCache(ajv, JSON.parse(text) as Record<string, unknown>, key);
    shelf.made(key);
    return made;
  };
  sharing.add(shared);
  util.useAjvCache = shared;
}

/** Where the components are; schema paths of errors begin with it. */
const contractId = 'contract:components';

/** As much of ajv as compiling ahead needs. */
export interface Ajv {
  opts: {
    inlineRefs: boolean;
    verbose: boolean;
    code: { optimize: boolean | number; source?: boolean; formats?: unknown };
  };
  formats: Record<string, unknown>;
  schemas: Record<string, unknown>;
  addSchema(schema: object, key: string): void;
}

/** Validators that were compiled before, or a record of those that are compiled now. */
export interface ValidatorStore {
  /** @param kind the same for instances of ajv with the same settings and the same components. */
  shelfFor(ajv: Ajv, kind: string): ValidatorShelf;
}
export interface ValidatorShelf {
  find(key: string): unknown;
  made(key: string): void;
}

type UseCache = (ajv: Ajv, schema: Record<string, unknown>, key: string) => unknown;
const sharing = new WeakSet<UseCache>();

const plainOptions = (ajv: Ajv): unknown =>
  Object.entries(ajv.opts).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function');

// ajv takes the key for a URI: it must look like one.
const digest = (text: string): string => createHash('sha1').update(text).digest('hex');
