import type { ValidationItem } from '../core/call-error.js';
import type { BrokenSchema, Check } from './fake-contract.js';

const longestInput = 256;

/**
 * Returns the violations of the contract in a value, in the shape that a gateway uses. The wording is not the gateway's own.
 *
 * @param place the outermost part of each item's `loc`: `path`, `query`, `header` or `body`.
 */
export function brokenRules(check: Check, value: unknown, place: string): ValidationItem[] {
  return check(value) ? [] : (check.errors ?? []).map((broken) => itemOf(broken, value, place));
}

function itemOf(
  { instancePath, keyword, params, message }: BrokenSchema,
  value: unknown,
  place: string,
): ValidationItem {
  const at = instancePath.split('/').slice(1).map(keyIn);
  const input = cut(at.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)?.[key], value));
  if (keyword === 'required')
    return {
      type: 'missing',
      loc: [place, ...at, String(params.missingProperty)],
      msg: 'Field required',
      input,
    };
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    return {
      type: 'extra_forbidden',
      loc: [place, ...at, name],
      msg: 'Extra inputs are not permitted',
      input,
    };
  }
  return { type: keyword, loc: [place, ...at], msg: message ?? keyword, input };
}

/** Converts a key of a JSON pointer; array indexes become numbers. */
function keyIn(pointer: string): string | number {
  const key = pointer.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(key) ? Number(key) : key;
}

const cut = (input: unknown): unknown =>
  typeof input === 'string' ? input.slice(0, longestInput) : (input ?? null);
