import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { LoadScript } from '../../foundation/cached-script.js';
import { type Ajv, type ApiDocument, type Internals, internals } from './eov/internals.js';
import { leaveDiscriminators } from './eov/leave-discriminators.js';
import { resolveByPointer } from './eov/resolve-by-pointer.js';
import type { ValidatorShelf, ValidatorStore } from './eov/share-validators.js';
import { ownFormats } from './formats.js';
import { type Json, runtimeDocument } from './runtime-document.js';

/** A contract as express-openapi-validator wants it: one copy for requests, one for answers. */
export interface PreparedContract {
  /** Names the document that it was made of. */
  version: string;
  request: ApiDocument;
  response: ApiDocument;
}

/** The files that the build makes for a surface, in its folder. */
export const preparedFiles = { contract: 'contract.json', validators: 'validators.cjs' } as const;

const versionOf = (text: string): string => createHash('sha1').update(text).digest('hex');

/**
 * The contract that the build has prepared; prepared here where there is none, or where the document has changed since.
 * @param text of the bundled OpenAPI document.
 * @param folder of what the build made for this surface; null where it made nothing.
 */
export function preparedContract(text: string, folder: string | null): PreparedContract {
  const path = folder === null ? null : join(folder, preparedFiles.contract);
  if (path !== null && existsSync(path)) {
    const prepared = JSON.parse(readFileSync(path, 'utf8')) as PreparedContract;
    if (prepared.version === versionOf(text)) return prepared;
  }
  return prepareContract(text);
}

/** @throws Error when the document contradicts itself. */
export function prepareContract(text: string, library: Internals = internals): PreparedContract {
  const document = runtimeDocument(JSON.parse(text) as Json) as unknown as ApiDocument;
  const preprocessor = new library.SchemaPreprocessor(
    // Only for an instance of ajv that nothing is compiled with; it would walk the whole document.
    { openapi: document.openapi, paths: {} },
    ajvSettings(library).preprocessor,
    responseSettings,
  );
  preprocessor.apiDoc = document;
  resolveByPointer(preprocessor);
  leaveDiscriminators(preprocessor);
  const { apiDoc, apiDocRes } = preprocessor.preProcess();
  return { version: versionOf(text), request: apiDoc, response: apiDocRes };
}

export const responseSettings = { removeAdditional: false, coerceTypes: false } as const;

/**
 * The settings of each kind of ajv, the same for every surface and for the build: validators compiled ahead are found
 * by them.
 */
export const ajvSettings = ({
  AjvOptions,
  defaultSerDes,
}: Internals): InstanceType<Internals['AjvOptions']> =>
  new AjvOptions({
    validateRequests: { allErrors: true, discriminator: true },
    validateResponses: responseSettings,
    validateFormats: true,
    ajvFormats: { mode: 'full' },
    formats: { ...ownFormats },
    serDes: defaultSerDes,
  });

/** What the build writes: per kind of ajv a function that gives its validators by key. */
type CompiledModule = Record<
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
