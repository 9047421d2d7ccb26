import type { ApiDocument } from './eov/internals.js';
import { resolved } from './resolved.js';

/**
 * What is wrong with the head of a text, held against its response in the contract: express-openapi-validator asks only
 * about JSON. Null where it fits.
 */
export function wrongText(
  document: ApiDocument,
  response: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | null {
  const declared = resolved<Declared>(document, response);
  if (!declared?.content?.['text/plain']) return 'the contract has no such text';
  const missing = Object.entries(declared.headers ?? {}).find(
    ([name, header]) =>
      resolved<{ required?: boolean }>(document, header)?.required && headers[name] === undefined,
  );
  return missing ? `the header ${missing[0]} is missing` : null;
}

interface Declared {
  content?: Record<string, unknown>;
  headers?: Record<string, unknown>;
}
