import { expect, test } from 'vitest';
import { ruleWords } from '../../../src/contract/broken-rules.js';

const words = (keyword: string, params: Record<string, unknown>, more: object = {}, text = false) =>
  ruleWords({ keyword, params, instancePath: '', schemaPath: '', ...more }, text ? 'x' : 1, null, text);

const positive = { minimum: 0, not: { enum: [0] } };

test.each<[string, ReturnType<typeof words>, string, string]>([
  ['one character', words('minLength', { limit: 1 }), 'string_too_short', 'must not be empty'],
  [
    'some characters',
    words('minLength', { limit: 3 }),
    'string_too_short',
    'must have at least 3 characters',
  ],
  ['at most one', words('maxLength', { limit: 1 }), 'string_too_long', 'must have at most 1 character'],
  ['one item', words('minItems', { limit: 1 }), 'value_error', 'must not be empty'],
  ['some items', words('maxItems', { limit: 250 }), 'value_error', 'must have at most 250 items'],
  ['a text', words('type', { type: 'string' }), 'string_type', 'Input should be a string, such as "text"'],
  [
    'a number in a query',
    words('type', { type: 'integer' }, {}, true),
    'int_parsing',
    'Input should be an integer, such as 5',
  ],
  [
    'an integer',
    words('type', { type: ['integer', 'null'] }),
    'int_type',
    'Input should be an integer, such as 5',
  ],
  [
    'an object',
    words('type', { type: 'object' }),
    'model_attributes_type',
    'Input should be an object, such as {}',
  ],
  ['a list', words('type', { type: 'array' }), 'list_type', 'Input should be a list, such as []'],
  [
    'a list that must not be empty',
    words('type', { type: 'array' }, { parentSchema: { minItems: 1 } }),
    'list_type',
    'Input should be a list of at least 1 item',
  ],
  [
    'an object that has to have fields',
    words('type', { type: 'object' }, { parentSchema: { required: ['mode', 'id'] } }),
    'model_attributes_type',
    "Input should be an object with 'mode', 'id'",
  ],
  [
    'a pattern with an example',
    words('pattern', { pattern: '^a+$' }, { parentSchema: { example: 'aaa' } }),
    'value_error',
    'must match ^a+$, such as aaa',
  ],
  [
    'an instant',
    words('format', { format: 'iso-instant' }),
    'value_error',
    'must be an ISO 8601 date or date and time, such as 2026-03-13T08:00:00Z',
  ],
])(
  '%s: the name for programs stays, the sentence is for people',
  (_rule, { type, msg }, wantedType, wanted) => {
    expect([type, msg]).toEqual([wantedType, wanted]);
  },
);

test.each<[string, string, object, string]>([
  ['0 where a number has to be greater', 'not', positive, 'greater_than'],
  ['-5 there', 'minimum', positive, 'greater_than'],
  ['-5 where 0 is taken', 'minimum', { minimum: 0 }, 'greater_than_equal'],
  ['0 where an integer is at least 1', 'minimum', { minimum: 1 }, 'greater_than_equal'],
  ['false where only true is', 'not', { not: { enum: [false] } }, 'value_error'],
])('%s', (_what, keyword, parentSchema, type) => {
  expect(words(keyword, { limit: 0 }, { parentSchema }).type).toBe(type);
});

test('a rule without a name of its own has its sentence for programs too', () => {
  expect(words('maxItems', { limit: 1 }).ctx).toEqual({ error: 'must have at most 1 item' });
});
