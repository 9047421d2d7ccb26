import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LoadScript } from '../../foundation/cached-script.js';
import type { Ajv } from './eov/internals.js';
import type { ValidatorShelf, ValidatorStore } from './eov/share-validators.js';

/** What the build writes: per kind of ajv a function that gives its validators by key. */
export type CompiledModule = Record<
  string,
  (require: NodeJS.Require, formats: Ajv['formats']) => Record<string, unknown>
>;

const emptyShelf: ValidatorShelf = { find: () => undefined, made: () => undefined };
/** Where nothing was compiled ahead. */
export const compilesAll: ValidatorStore = { shelfFor: () => emptyShelf };

/**
 * The validators that the build has compiled ahead. A schema that is not among them, as after a change of the contract
 * without a build, is compiled when it is needed.
 * @param path of the module that {@link ./validator-recorder.ts} wrote; it need not be there.
 * @param load loads it.
 */
export function compiledValidators(path: string, load: LoadScript = createRequire(path)): ValidatorStore {
  if (!existsSync(path)) return compilesAll;
  const require = createRequire(path);
  const module = load(path) as CompiledModule;
  return {
    shelfFor: (ajv, kind) => {
      const validators = module[kind]?.(require, ajv.formats);
      return validators ? { find: (key) => validators[key], made: () => undefined } : emptyShelf;
    },
  };
}
