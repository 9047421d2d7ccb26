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

/** A contract in the form that express-openapi-validator needs: one copy for requests, one for answers. */
export interface PreparedContract {
  /** The hash of the document that it was made from. */
  version: string;
  request: ApiDocument;
  response: ApiDocument;
}

/** The files that the build makes for a surface, in its folder. */
export const preparedFiles = { contract: 'contract.json', validators: 'validators.cjs' } as const;

const versionOf = (text: string): string => createHash('sha1').update(text).digest('hex');

/**
 * Returns the contract that the build has prepared; it is prepared here if the build made none, or the document has changed
 * since.
 * @param text the bundled OpenAPI document.
 * @param folder the folder with the build's files for this surface; null when it made none.
 */
export function preparedContract(text: string, folder: string | null): PreparedContract {
  const path = folder === null ? null : join(folder, preparedFiles.contract);
  if (path !== null && existsSync(path)) {
    const prepared = JSON.parse(readFileSync(path, 'utf8')) as PreparedContract;
    if (prepared.version === versionOf(text)) return prepared;
  }
  return prepareContract(text);
}

/** Prepares a contract. @throws Error when the document contradicts itself. */
export function prepareContract(text: string, library: Internals = internals): PreparedContract {
  const document = runtimeDocument(JSON.parse(text) as Json) as unknown as ApiDocument;
  const preprocessor = new library.SchemaPreprocessor(
    // This document only creates an instance of ajv that compiles nothing; with the whole document ajv would walk all of it.
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
 * Returns the settings of each kind of ajv. They are the same for every surface and for the build, because validators that were
 * compiled ahead are found by them.
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

/** The module that the build writes: for each kind of ajv a function that returns its validators by key. */
type CompiledModule = Record<
  string,
  (require: NodeJS.Require, formats: Ajv['formats']) => Record<string, unknown>
>;

const emptyShelf: ValidatorShelf = { find: () => undefined, made: () => undefined };
/** The store for a surface whose validators were not compiled ahead. */
export const compilesAll: ValidatorStore = { shelfFor: () => emptyShelf };

/**
 * Returns the validators that the build has compiled ahead. A schema that is missing there, as after a change of the contract
 * without a build, is compiled when it is needed.
 * @param path the path of the module that {@link ./validator-recorder.ts} wrote; it may be absent.
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
