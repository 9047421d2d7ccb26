import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * express-openapi-validator compiles a validator per operation and status, also where they say the same, and each comes
 * with a copy of all components, which ajv compiles anew. Here equal schemas share one validator, and the components
 * are one schema of their own that is compiled once. A start takes seconds without this. No upstream issue is known.
 * Remove when the test `share-validators` says that equal schemas share by themselves.
 */
export function shareValidators(): void {
  const within = createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'));
  const util = within('./middlewares/util') as { useAjvCache: UseCache };
  const useCache = util.useAjvCache;
  if (sharing.has(useCache)) return;
  const shared: UseCache = (ajv, schema, _key) => {
    const { components, paths: _paths, ...own } = schema;
    if (!ajv.schemas[contractId]) {
      // Polishing the generated code costs a start more than it gains in a year of requests.
      ajv.opts.code.optimize = false;
      ajv.opts.inlineRefs = false;
      // An error then brings the schema that it broke, and with it the text of our rule (`x-rule`).
      ajv.opts.verbose = true;
      ajv.addSchema({ $id: contractId, components }, contractId);
    }
    const text = JSON.stringify(own).replaceAll('"#/components/', `"${contractId}#/components/`);
    return useCache(ajv, JSON.parse(text) as Record<string, unknown>, `shared-${digest(text)}`);
  };
  sharing.add(shared);
  util.useAjvCache = shared;
}

/** Where the components are; schema paths of errors begin with it. */
const contractId = 'contract:components';

interface Ajv {
  opts: { inlineRefs: boolean; verbose: boolean; code: { optimize: boolean | number } };
  schemas: Record<string, unknown>;
  addSchema(schema: object, key: string): void;
}
type UseCache = (ajv: Ajv, schema: Record<string, unknown>, key: string) => unknown;
const sharing = new WeakSet<UseCache>();

// ajv takes the key for a URI: it must look like one.
const digest = (text: string): string => createHash('sha1').update(text).digest('hex');
