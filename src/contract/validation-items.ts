import { firstCodePoints } from '../foundation/code-points.js';
import { jsonStart } from '../foundation/json-start.js';
import { ruleOf, type SchemaError, withoutNoise } from './schema-errors.js';

/** One item of a 422 (docs/decisions.md#validation-items). */
export interface ValidationItem {
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
export function toValidationItems(errors: readonly SchemaError[], parts: RequestParts): ValidationItem[] {
  const items = new Map<string, ValidationItem>();
  for (const error of withoutNoise(errors)) {
    const item = toItem(error, parts);
    const key = JSON.stringify([item.type, item.loc, item.msg]);
    if (!items.has(key)) items.set(key, item);
    if (items.size === maxItems) break;
  }
  return [...items.values()];
}

function toItem(error: SchemaError, parts: RequestParts): ValidationItem {
  const [root, ...below] = segmentsOf(error.instancePath);
  const missing = error.params.missingProperty;
  // A path that ends at the request itself misses a whole part of it: the body.
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
      msg: 'Extra inputs are not permitted',
      input: shown(value),
    };
  }
  if (error.keyword === 'discriminator') return unionTag(error, [where, ...below], holder);
  return {
    ...describe(error, holder, ruleOf(error), where !== 'body'),
    loc: [where, ...below],
    input: shown(holder),
  };
}

const absent = (loc: (string | number)[], holder: unknown): ValidationItem => ({
  type: 'missing',
  loc,
  msg: 'Field required',
  input: shown(holder),
});

/** The tag of a union: which variant was asked for. The item points at the tag and names those there are. */
function unionTag(error: SchemaError, place: (string | number)[], holder: unknown): ValidationItem {
  const name = String(error.params.tag);
  const loc = [...place, name];
  if (error.params.error !== 'mapping')
    return {
      type: 'union_tag_not_found',
      loc,
      msg: `Unable to extract tag using discriminator '${name}'`,
      input: shown(holder),
      ctx: { discriminator: name },
    };
  const tag = firstCodePoints(String(error.params.tagValue), maxInput);
  const expected = tagsOf(error)
    .map((known) => `'${known}'`)
    .join(', ');
  return {
    type: 'union_tag_invalid',
    loc,
    msg: `Input tag '${tag}' found using '${name}' does not match any of the expected tags: ${expected}`,
    input: shown(error.params.tagValue),
    ctx: { discriminator: name, tag, expected_tags: expected },
  };
}

/** The tags of a union, which the runtime document notes beside its discriminator. */
function tagsOf(error: SchemaError): unknown[] {
  const tags = (error.parentSchema as { 'x-tags'?: unknown } | undefined)?.['x-tags'];
  return Array.isArray(tags) ? tags : [];
}

type Description = Pick<ValidationItem, 'type' | 'msg' | 'ctx'>;
const ruleBroken = (rule: string): Description => ({
  type: 'value_error',
  msg: `Value error, ${rule}`,
  ctx: { error: {} },
});

/** @param arrivedAsText whether every value of this part of a request is text, as in a query. */
function describe(
  error: SchemaError,
  value: unknown,
  rule: string | null,
  arrivedAsText: boolean,
): Description {
  const { params } = error;
  switch (error.keyword) {
    case 'if':
    case 'not':
    case 'anyOf':
    case 'oneOf':
      return ruleBroken(rule ?? `must match one of the declared forms`);
    case 'type':
    case 'x-eov-type':
      return typeItem(params.type, arrivedAsText && typeof value === 'string');
    case 'enum':
      return literal([params.allowedValues ?? []].flat());
    case 'const':
      return literal([params.allowedValue]);
    case 'pattern':
      return ruleBroken(
        rule ?? (params.pattern === '\\S' ? 'must not be empty' : `must match ${params.pattern}`),
      );
    case 'format':
      return ruleBroken(formatRules[String(params.format)] ?? `must be a valid ${params.format}`);
    case 'minimum':
      return limited('greater_than_equal', 'greater than or equal to', 'ge', params);
    case 'maximum':
      return limited('less_than_equal', 'less than or equal to', 'le', params);
    case 'exclusiveMinimum':
      return limited('greater_than', 'greater than', 'gt', params);
    case 'exclusiveMaximum':
      return limited('less_than', 'less than', 'lt', params);
    case 'x-finite':
      return { type: 'finite_number', msg: 'Input should be a finite number' };
    case 'minLength':
      return {
        type: 'string_too_short',
        msg: `String should have at least ${params.limit} characters`,
        ctx: { min_length: params.limit },
      };
    case 'maxLength':
      return {
        type: 'string_too_long',
        msg: `String should have at most ${params.limit} characters`,
        ctx: { max_length: params.limit },
      };
    case 'minItems':
      return ruleBroken(
        params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} items`,
      );
    case 'maxItems':
      return ruleBroken(`must have at most ${params.limit} items`);
    default:
      return ruleBroken(error.message ?? `breaks the rule ${error.keyword}`);
  }
}

const formatRules: Readonly<Record<string, string>> = {
  'process-text': 'must be well-formed Unicode without NUL',
  'iso-instant': 'must be an ISO 8601 date or date and time',
};

const limited = (type: string, words: string, key: string, params: Record<string, unknown>): Description => ({
  type,
  msg: `Input should be ${words} ${params.limit}`,
  ctx: { [key]: params.limit },
});

/** `Input should be 'a', 'b' or 'c'`. */
function literal(values: readonly unknown[]): Description {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)));
  const expected =
    quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
}

const typeNames: Readonly<Record<string, [type: string, words: string]>> = {
  string: ['string_type', 'string'],
  integer: ['int_type', 'integer'],
  number: ['float_type', 'number'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  null: ['none_required', 'null'],
};

/** @param unreadable whether a text could not be read as the number it was to be. */
function typeItem(expected: unknown, unreadable: boolean): Description {
  const wanted = (Array.isArray(expected) ? expected : String(expected).split(',')).filter(
    (name) => name !== 'null',
  );
  const name = String(wanted[0] ?? 'null');
  if (name === 'object') {
    return {
      type: 'model_attributes_type',
      msg: 'Input should be a valid dictionary or object to extract fields from',
    };
  }
  const [type, words] = typeNames[name] ?? ['value_error', name];
  if (unreadable && (name === 'integer' || name === 'number')) {
    const parsing = name === 'integer' ? 'int_parsing' : 'float_parsing';
    return {
      type: parsing,
      msg: `Input should be a valid ${words}, unable to parse string as ${name === 'integer' ? 'an' : 'a'} ${words}`,
    };
  }
  return { type, msg: `Input should be a valid ${words}` };
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

/** The offending value, cut: at most 256 characters of it are echoed. */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  // JSON cannot hold this number.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'string')
    return value.length <= maxInput ? value : `${firstCodePoints(value, maxInput - 1)}…`;
  const text = jsonStart(value, maxInput);
  return text.length <= maxInput ? value : `${firstCodePoints(text, maxInput - 1)}…`;
}
