import type { ApiDocument } from './eov/internals.js';
import { at } from './eov/resolve-by-pointer.js';

/**
 * What is wrong with the head of a text, held against its response in the contract: express-openapi-validator asks only
 * about JSON. Null where it fits.
 */
export function wrongText(
  document: ApiDocument,
  response: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | null {
  const declared = resolve<Declared>(document, response);
  if (!declared?.content?.['text/plain']) return 'the contract has no such text';
  const missing = Object.entries(declared.headers ?? {}).find(
    ([name, header]) =>
      resolve<{ required?: boolean }>(document, header)?.required && headers[name] === undefined,
  );
  return missing ? `the header ${missing[0]} is missing` : null;
}

interface Declared {
  content?: Record<string, unknown>;
  headers?: Record<string, unknown>;
}

const resolve = <T>(document: ApiDocument, value: unknown): T | null => {
  const reference = (value as { $ref?: unknown } | undefined)?.$ref;
  return (typeof reference === 'string' ? at(document, reference) : (value ?? null)) as T | null;
};
