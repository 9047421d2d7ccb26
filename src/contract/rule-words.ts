import { counted } from '../foundation/counted.js';
import type { SchemaError } from './schema-errors.js';

// What a 422 says to people of one broken rule, and its name for programs (docs/decisions.md#validation-items).

/** The part of an item that the rule alone decides. */
export interface RuleWords {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
}

/** A rule that has no name of its own. @param rule a sentence of its own words, such as "must not be empty". */
export const ruleBroken = (rule: string): RuleWords => ({
  type: 'value_error',
  msg: rule,
  ctx: { error: rule },
});

/** The 422 of a prompt that names a turn as an interrupt does. */
export const aimedPrompt = {
  detail: 'X-Houmao-If-Turn aims an interrupt; a prompt takes none. Nothing was queued.',
};

/**
 * @param rule the words of the contract for it, if it has any.
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

/** The contract writes "greater than 0" so: generators of OpenAPI 3.0's kind take exclusiveMinimum for a boolean. */
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
};

const limited = (type: string, words: string, key: string, params: Record<string, unknown>): RuleWords => ({
  type,
  msg: `Input should be ${words} ${params.limit}`,
  ctx: { [key]: params.limit },
});

/** `Input should be 'a', 'b' or 'c'`. */
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
/** Texts that could not be read as what they were to be. */
const parsing: Readonly<Record<string, string>> = { integer: 'int_parsing', number: 'float_parsing' };

/**
 * @param unreadable whether a text could not be read as the number it was to be.
 * @param schema says more of what it has to be: an empty list that is named as an example would be refused next.
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
