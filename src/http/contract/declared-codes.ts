import { errorCodeHeader } from '../../contract/error-code.js';
import type { ApiDocument } from './eov/internals.js';
import { resolved } from './resolved.js';

/** The error codes that the contract has for a response; null where it names none. */
export function declaredCodes(document: ApiDocument, response: unknown): readonly string[] | null {
  const { headers } = resolved<{ headers?: Record<string, unknown> }>(document, response) ?? {};
  const header = resolved<{ schema?: unknown }>(document, headers?.[errorCodeHeader]);
  return resolved<{ enum?: readonly string[] }>(document, header?.schema)?.enum ?? null;
}
