import { createHash } from 'node:crypto';
import type { Ajv } from './internals.js';
import { at } from './resolve-by-pointer.js';

/**
 * Shares validators: express-openapi-validator compiles one per operation and status, even for equal schemas, each with a copy
 * of all components, which ajv compiles again; and it compiles the schema behind a parameter's `$ref` only to look at it. With
 * this function, equal schemas share one validator, the components are one schema of their own that is compiled once (not at
 * all if the build has compiled them before), and references are looked up. A start takes seconds without it. No upstream issue
 * is known. Remove when the test `share-validators` says that equal schemas share by themselves.
 * @param ajv an instance of the validator's that nothing was compiled with.
 * @param document whose `components` its schemas refer to.
 * @param version names that document: validators of another one are never taken from the store.
 */
export function shareValidators(
  ajv: Ajv,
  document: { components?: object },
  version: string,
  store: ValidatorStore,
): void {
  // Optimizing is left to the build; at a start it would cost more than a year of requests gains.
  ajv.opts.code.optimize = false;
  ajv.opts.inlineRefs = false;
  // With `verbose`, an error carries the schema that it broke, and with it the text of our rule (`x-rule`).
  ajv.opts.verbose = true;
  const shelf = store.shelfFor(ajv, digest(JSON.stringify([plainOptions(ajv), version])));
  const getSchema = ajv.getSchema.bind(ajv);
  const addSchema = ajv.addSchema.bind(ajv);
  const made = new Map<string, unknown>();
  let hasComponents = false;

  const validatorOf = (schema: Record<string, unknown>): unknown => {
    const { components: _components, paths: _paths, ...own } = schema;
    const text = JSON.stringify(own).replaceAll('"#/components/', `"${contractId}#/components/`);
    const key = `shared-${digest(text)}`;
    const known = shelf.find(key) ?? getSchema(key);
    if (known !== undefined) return known;
    if (!hasComponents) addSchema({ $id: contractId, components: document.components ?? {} }, contractId);
    hasComponents = true;
    addSchema(JSON.parse(text) as object, key);
    shelf.made(key);
    return getSchema(key);
  };
  Object.assign(ajv, {
    getSchema: (key: string) =>
      key.startsWith('#/') ? { schema: at(document, key) ?? undefined } : (made.get(key) ?? getSchema(key)),
    addSchema: (schema: Record<string, unknown>, key: string) => {
      made.set(key, validatorOf(schema));
      return ajv;
    },
  });
}

/** The id of the components; schema paths of errors begin with it. */
const contractId = 'contract:components';

/** Validators that were compiled before, or a record of those that are compiled now. */
export interface ValidatorStore {
  /** @param kind the same for instances of ajv with the same settings and the same document. */
  shelfFor(ajv: Ajv, kind: string): ValidatorShelf;
}
export interface ValidatorShelf {
  find(key: string): unknown;
  made(key: string): void;
}

const plainOptions = (ajv: Ajv): unknown =>
  Object.entries(ajv.opts).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function');

// ajv reads the key as a URI, so it must look like one.
const digest = (text: string): string => createHash('sha1').update(text).digest('hex');
