import { counted } from '../foundation/text.js';
import { promptMetadataRule } from './prompt-metadata.js';

/** One error as ajv reports it. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  /**
   * The schema that holds the keyword; its `x-rule` says in words what the keyword is for, its
   * `x-tags` lists the tags of a union.
   */
  parentSchema?: unknown;
}

/** Keywords that only say that something below them failed. */
const wrappers = new Set(['anyOf', 'oneOf', 'allOf', 'dependentSchemas']);

/** Returns the text of the rule that an error breaks, or null where the schema names none. */
export function ruleOf(error: SchemaError): string | null {
  const rule = (error.parentSchema as { 'x-rule'?: unknown } | undefined)?.['x-rule'];
  return typeof rule === 'string' ? rule : null;
}

const isRule = (error: SchemaError): boolean =>
  (error.keyword === 'if' || error.keyword === 'not') && ruleOf(error) !== null;

/** Returns the errors that matter, without those that an `if`, an `anyOf` with null or an unmatched branch adds to them. */
export function withoutNoise(errors: readonly SchemaError[]): SchemaError[] {
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
    if (error.keyword === 'pattern' && isEmpty(error, errors)) return false;
    return !isNullBranch(error);
  });
  // A rule across fields is reported only when the fields that it compares are valid themselves.
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

/** Decides whether the value is an empty text that must not be empty: it breaks its pattern, too, which adds no information. */
const isEmpty = ({ instancePath }: SchemaError, errors: readonly SchemaError[]): boolean =>
  errors.some(
    (other) =>
      other.keyword === 'minLength' && other.params.limit === 1 && other.instancePath === instancePath,
  );

/** Keeps the first broken rule of each object; the rules of an object are checked in their order. */
function firstPerPlace(rules: readonly SchemaError[]): Set<SchemaError> {
  const places = new Map<string, SchemaError>();
  for (const rule of rules) if (!places.has(rule.instancePath)) places.set(rule.instancePath, rule);
  return new Set(places.values());
}

/** Finds the errors that lie in the `then` or `else` of a rule: the rule's own text describes them better. */
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

/** Finds the errors of the `or null` branch of a nullable object: it fails whenever the object itself is wrong. */
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

// The text of one broken rule in a 422, for people, and its name, for programs (docs/decisions.md#validation-items).

/** The part of an item that depends only on the rule. */
export interface RuleWords {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
}

/** Returns the words of a rule that has no type of its own. @param rule a sentence, such as "must not be empty". */
export const ruleBroken = (rule: string): RuleWords => ({
  type: 'value_error',
  msg: rule,
  ctx: { error: rule },
});

/** The 422 for a prompt that names a turn, which only an interrupt may do. */
export const aimedPrompt = {
  detail: 'X-Houmao-If-Turn aims an interrupt; a prompt takes none. Nothing was queued.',
};

/**
 * Returns the words for a schema error.
 * @param rule the contract's own words for it, if it has any.
 * @param arrivedAsText whether every value of this part of a request is text, as in a query.
 */
export function ruleWords(
  error: SchemaError,
  value: unknown,
  rule: string | null,
  arrivedAsText: boolean,
): RuleWords {
  const { params } = error;
  if (isPositive(error)) return limited('greater_than', 'greater than', 'gt', { limit: 0 });
  switch (error.keyword) {
    case 'if':
    case 'not':
    case 'anyOf':
    case 'oneOf':
      return ruleBroken(rule ?? `must match one of the declared forms`);
    case 'type':
    case 'x-eov-type':
      return typeWords(params.type, arrivedAsText && typeof value === 'string', error.parentSchema);
    case 'enum':
      return literal([params.allowedValues ?? []].flat());
    case 'const':
      return literal([params.allowedValue]);
    case 'pattern':
      return ruleBroken(rule ?? patternRule(String(params.pattern), error.parentSchema));
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
      return { type: 'finite_number', msg: 'Input should be a finite number, such as 0.5' };
    case 'minLength':
      return {
        type: 'string_too_short',
        msg: atLeast(params.limit, 'character'),
        ctx: { min_length: params.limit },
      };
    case 'maxLength':
      return {
        type: 'string_too_long',
        msg: `must have at most ${counted(params.limit, 'character')}`,
        ctx: { max_length: params.limit },
      };
    case 'minItems':
      return ruleBroken(atLeast(params.limit, 'item'));
    case 'maxItems':
      return ruleBroken(`must have at most ${counted(params.limit, 'item')}`);
    default:
      return ruleBroken(error.message ?? `breaks the rule ${error.keyword}`);
  }
}

/**
 * Recognises "greater than 0" as the contract writes it: generators of OpenAPI 3.0's kind take exclusiveMinimum for a boolean.
 */
function isPositive({ keyword, parentSchema }: SchemaError): boolean {
  if (keyword !== 'minimum' && keyword !== 'not') return false;
  const { minimum, not } = (parentSchema ?? {}) as { minimum?: number; not?: { enum?: unknown[] } };
  return minimum === 0 && not?.enum?.[0] === 0;
}

const atLeast = (limit: unknown, noun: string): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, noun)}`;

function patternRule(pattern: string, schema: unknown): string {
  if (pattern === '\\S') return 'must not be empty';
  const { example } = (schema ?? {}) as { example?: unknown };
  return `must match ${pattern}${typeof example === 'string' ? `, such as ${example}` : ''}`;
}

const formatRules: Readonly<Record<string, string>> = {
  'process-text': 'must be well-formed Unicode without NUL',
  'iso-instant': 'must be an ISO 8601 date or date and time, such as 2026-03-13T08:00:00Z',
  'prompt-metadata': promptMetadataRule,
};

const limited = (type: string, words: string, key: string, params: Record<string, unknown>): RuleWords => ({
  type,
  msg: `Input should be ${words} ${params.limit}`,
  ctx: { [key]: params.limit },
});

/** Writes `Input should be 'a', 'b' or 'c'`. */
function literal(values: readonly unknown[]): RuleWords {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)));
  const expected =
    quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
}

const typeNames: Readonly<Record<string, [type: string, words: string]>> = {
  string: ['string_type', 'a string, such as "text"'],
  integer: ['int_type', 'an integer, such as 5'],
  number: ['float_type', 'a number, such as 0.5'],
  boolean: ['bool_type', 'true or false'],
  array: ['list_type', 'a list, such as []'],
  object: ['model_attributes_type', 'an object, such as {}'],
  null: ['none_required', 'null'],
};
/** The types for texts that could not be read as a number. */
const parsing: Readonly<Record<string, string>> = { integer: 'int_parsing', number: 'float_parsing' };

/**
 * @param unreadable whether a text could not be read as the number that it should be.
 * @param schema describes the expected value further: an empty list as an example would be refused next.
 */
function typeWords(expected: unknown, unreadable: boolean, schema: unknown): RuleWords {
  const wanted = (Array.isArray(expected) ? expected : String(expected).split(',')).filter(
    (name) => name !== 'null',
  );
  const name = String(wanted[0] ?? 'null');
  const [type, words] = typeNames[name] ?? ['value_error', `of the type ${name}`];
  const { minItems, required } = (schema ?? {}) as { minItems?: unknown; required?: unknown };
  const filled =
    name === 'array' && Number(minItems) > 0
      ? `a list of at least ${counted(minItems, 'item')}`
      : name === 'object' && Array.isArray(required) && required.length > 0
        ? `an object with ${required.map((field) => `'${field}'`).join(', ')}`
        : words;
  return { type: (unreadable && parsing[name]) || type, msg: `Input should be ${filled}` };
}
