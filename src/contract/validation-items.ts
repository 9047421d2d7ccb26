import { jsonStart } from '../foundation/json-text.js';
import { firstCodePoints } from '../foundation/text.js';
import { ruleOf, ruleWords, type SchemaError, withoutNoise } from './broken-rules.js';

/** One item of a 422 (docs/decisions.md#validation-items). */
export interface BrokenRule {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
  ctx?: Record<string, unknown>;
}

/** The parts of a request that items point into. */
export interface RequestParts {
  body: unknown;
  query: unknown;
  path: unknown;
  header: unknown;
}

const maxItems = 32;
const maxInput = 256;
const roots: Readonly<Record<string, keyof RequestParts>> = {
  body: 'body',
  query: 'query',
  params: 'path',
  path: 'path',
  headers: 'header',
};

/** Turns schema errors into the items of a 422, each once and at most 32 of them. */
export function toValidationItems(errors: readonly SchemaError[], parts: RequestParts): BrokenRule[] {
  const items = new Map<string, BrokenRule>();
  for (const error of withoutNoise(errors)) {
    const item = toItem(error, parts);
    const key = JSON.stringify([item.type, item.loc, item.msg]);
    if (!items.has(key)) items.set(key, item);
    if (items.size === maxItems) break;
  }
  return [...items.values()];
}

function toItem(error: SchemaError, parts: RequestParts): BrokenRule {
  const [root, ...below] = segmentsOf(error.instancePath);
  const missing = error.params.missingProperty;
  // An error at the request itself means that a whole part of it is missing: the body.
  if (root === undefined) return absent([roots[String(missing)] ?? 'body'], undefined);
  const where = roots[String(root)] ?? 'body';
  const holder = valueAt(parts[where], below);
  if (where === 'body' && below.length === 0 && (holder === null || holder === undefined))
    return absent([where], undefined);
  const extra = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  if (error.keyword === 'required') {
    return absent([where, ...below, String(missing)], holder);
  }
  if (extra !== undefined) {
    const value = valueAt(holder, [String(extra)]);
    return {
      type: 'extra_forbidden',
      loc: [where, ...below, firstCodePoints(String(extra), maxInput)],
      msg: 'Unknown field: remove it or correct its name',
      input: shown(value),
    };
  }
  if (error.keyword === 'discriminator') return unionTag(error, [where, ...below], holder);
  return {
    ...ruleWords(error, holder, ruleOf(error), where !== 'body'),
    loc: [where, ...below],
    input: shown(holder),
  };
}

const absent = (loc: (string | number)[], holder: unknown): BrokenRule => ({
  type: 'missing',
  loc,
  msg: 'Field required',
  input: shown(holder),
});

/** Returns the item for the tag of a union, which selects the variant. The item points at the tag and names the known tags. */
function unionTag(error: SchemaError, place: (string | number)[], holder: unknown): BrokenRule {
  const name = String(error.params.tag);
  const loc = [...place, name];
  const expected = tagsOf(error)
    .map((known) => `'${known}'`)
    .join(', ');
  if (error.params.error !== 'mapping')
    return {
      type: 'union_tag_not_found',
      loc,
      msg: `'${name}' is required${expected === '' ? '' : `; there are ${expected}`}`,
      input: shown(holder),
      ctx: { discriminator: name },
    };
  const tag = firstCodePoints(String(error.params.tagValue), maxInput);
  return {
    type: 'union_tag_invalid',
    loc,
    msg: `'${tag}' is not a ${name}; use ${expected}`,
    input: shown(error.params.tagValue),
    ctx: { discriminator: name, tag, expected_tags: expected },
  };
}

/** Returns the tags of a union, which the runtime document lists beside its discriminator. */
function tagsOf(error: SchemaError): unknown[] {
  const tags = (error.parentSchema as { 'x-tags'?: unknown } | undefined)?.['x-tags'];
  return Array.isArray(tags) ? tags : [];
}

const segmentsOf = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .filter((segment, index) => index > 0 || segment !== '')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));

const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, key)
        ? (at as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );

/** Returns the offending value, shortened: at most 256 characters of it are echoed. */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  // JSON has no such number.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'string')
    return value.length <= maxInput ? value : `${firstCodePoints(value, maxInput - 1)}…`;
  const text = jsonStart(value, maxInput);
  return text.length <= maxInput ? value : `${firstCodePoints(text, maxInput - 1)}…`;
}
