import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv, ValidatorShelf, ValidatorStore } from './eov/share-validators.js';

/** What the build writes: per kind of ajv a function that gives its validators by key. */
export type CompiledModule = Record<
  string,
  (require: NodeJS.Require, formats: Ajv['formats']) => Record<string, unknown>
>;

const compilesAll: ValidatorShelf = { find: () => undefined, made: () => undefined };

/**
 * The validators that the build has compiled ahead. A schema that is not among them, as after a change of the contract
 * without a build, is compiled at the start as ever.
 * @param path of the module that {@link ./validator-recorder.ts} wrote; it need not be there.
 */
export function compiledValidators(path: string): ValidatorStore {
  if (!existsSync(path)) return { shelfFor: () => compilesAll };
  const require = createRequire(path);
  const module = require(path) as CompiledModule;
  return {
    shelfFor: (ajv, kind) => {
      const validators = module[kind]?.(require, ajv.formats);
      return validators ? { find: (key) => validators[key], made: () => undefined } : compilesAll;
    },
  };
}
