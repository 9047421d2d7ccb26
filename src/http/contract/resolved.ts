import type { ApiDocument } from './eov/internals.js';
import { at } from './eov/resolve-by-pointer.js';

/** A part of a document, behind its `$ref` where it has one; null for one that is not there. */
export function resolved<T>(document: ApiDocument, part: unknown): T | null {
  const reference = (part as { $ref?: unknown } | null | undefined)?.$ref;
  return (typeof reference === 'string' ? at(document, reference) : (part ?? null)) as T | null;
}
