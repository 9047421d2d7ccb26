import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, type Internals, internals } from './eov/internals.js';
import { leaveDiscriminators } from './eov/leave-discriminators.js';
import { resolveByPointer } from './eov/resolve-by-pointer.js';
import { type Json, runtimeDocument } from './runtime-document.js';
import { ajvSettings, responseSettings } from './validator-settings.js';

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
