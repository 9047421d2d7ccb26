import { firstCodePoints } from '../foundation/code-points.js';
import { jsonStart } from '../foundation/json-start.js';

/** One error as ajv reports it. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  /** The schema that holds the keyword; its `x-rule` says in words what the keyword is for. */
  parentSchema?: unknown;
}

/** One item of a 422 (gateway §1.2). */
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

/**
 * Turns schema errors into the items the seeds' clients know. Noise goes: what an `if`, an `anyOf` with null or an
 * unmatched branch adds to the error that matters.
 */
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

/** Keywords that only say that something below them failed. */
const wrappers = new Set(['anyOf', 'oneOf', 'allOf', 'dependentSchemas']);

/** The text of the rule that an error breaks, or null where the schema names none. */
function ruleOf(error: SchemaError): string | null {
  const rule = (error.parentSchema as { 'x-rule'?: unknown } | undefined)?.['x-rule'];
  return typeof rule === 'string' ? rule : null;
}

const isRule = (error: SchemaError): boolean =>
  (error.keyword === 'if' || error.keyword === 'not') && ruleOf(error) !== null;

function withoutNoise(errors: readonly SchemaError[]): SchemaError[] {
  const rules = errors.filter(isRule);
  const ruled = firstPerPlace(rules);
  const inRule = insideRules(rules);
  const unionTag = errors.find((error) => error.keyword === 'discriminator');
  const isNullBranch = nullBranches(errors);
  const kept = errors.filter((error) => {
    if (inRule(error)) return false;
    if ((error.keyword === 'if' || isRule(error)) && !ruled.has(error)) return false;
    if (unionTag && error.keyword === 'required' && error.params.missingProperty === unionTag.params.tag)
      return false;
    return !isNullBranch(error);
  });
  // A cross rule only speaks when the fields it crosses are fine in themselves (gateway §1.2).
  const fieldErrors = kept.filter((error) => !wrappers.has(error.keyword) && !ruled.has(error));
  if (fieldErrors.length > 0) {
    return fieldErrors.concat(
      [...ruled].filter(
        (rule) => !fieldErrors.some((field) => field.instancePath.startsWith(rule.instancePath)),
      ),
    );
  }
  const plain = kept.filter((error) => !wrappers.has(error.keyword));
  return plain.length > 0 ? plain : kept;
}

/** The rules of one object are read in their order; the first broken one speaks (gateway §4.1). */
function firstPerPlace(rules: readonly SchemaError[]): Set<SchemaError> {
  const places = new Map<string, SchemaError>();
  for (const rule of rules) if (!places.has(rule.instancePath)) places.set(rule.instancePath, rule);
  return new Set(places.values());
}

/** Whether an error lies in the `then` or `else` of a rule: the rule's own text says it better. */
function insideRules(rules: readonly SchemaError[]): (error: SchemaError) => boolean {
  const branches = rules.flatMap((rule) => {
    const owner = rule.schemaPath.replace(/if$/, '');
    return [`${owner}then`, `${owner}else`].map((branch) => ({ branch, place: rule.instancePath }));
  });
  return (error) =>
    branches.some(
      ({ branch, place }) =>
        (error.schemaPath === branch || error.schemaPath.startsWith(`${branch}/`)) &&
        error.instancePath.startsWith(place),
    );
}

/** The `or null` branch of a nullable object: it fails whenever the object itself is wrong. */
function nullBranches(errors: readonly SchemaError[]): (error: SchemaError) => boolean {
  const suspects = errors.filter((error) => error.keyword === 'type' && error.params.type === 'null');
  if (suspects.length === 0) return () => false;
  const noise = new Set(
    suspects.filter((suspect) =>
      errors.some(
        (other) =>
          other !== suspect &&
          other.keyword !== 'anyOf' &&
          other.instancePath.startsWith(suspect.instancePath),
      ),
    ),
  );
  return (error) => noise.has(error);
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
      return params.pattern === '\\S'
        ? ruleBroken('must not be empty')
        : ruleBroken(`must match ${params.pattern}`);
    case 'format':
      return ruleBroken(formatRules[String(params.format)] ?? `must be a valid ${params.format}`);
    case 'discriminator': {
      const tag = firstCodePoints(String(params.tagValue), maxInput);
      return params.error === 'mapping'
        ? {
            type: 'union_tag_invalid',
            msg: `Input tag '${tag}' found using '${params.tag}' does not match any of the expected tags`,
            ctx: { discriminator: params.tag, tag },
          }
        : {
            type: 'union_tag_not_found',
            msg: `Unable to extract tag using discriminator '${params.tag}'`,
            ctx: { discriminator: params.tag },
          };
    }
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

/** The offending value, cut: at most 256 characters of it are echoed (decision 54). */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  // JSON has no such number.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'string')
    return value.length <= maxInput ? value : `${firstCodePoints(value, maxInput - 1)}…`;
  const text = jsonStart(value, maxInput);
  return text.length <= maxInput ? value : `${firstCodePoints(text, maxInput - 1)}…`;
}
