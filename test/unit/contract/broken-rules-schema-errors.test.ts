import { describe, expect, test } from 'vitest';
import type { SchemaError } from '../../../src/contract/broken-rules.js';
import { type RequestParts, toValidationItems } from '../../../src/contract/validation-items.js';

const parts = (body: unknown): RequestParts => ({ body, query: {}, path: {}, header: {} });
const error = (given: Partial<SchemaError>): SchemaError => ({
  keyword: 'type',
  instancePath: '/body',
  schemaPath: '#/type',
  params: {},
  ...given,
});
const rule = (text: string) => ({ parentSchema: { 'x-rule': text } });

describe('noise', () => {
  test('an empty text is empty, and no word is said of its pattern', () => {
    const errors = [
      error({ instancePath: '/body/key', keyword: 'minLength', params: { limit: 1 } }),
      error({ instancePath: '/body/key', keyword: 'pattern', params: { pattern: '^a+$' } }),
      error({ instancePath: '/body/other', keyword: 'pattern', params: { pattern: '^a+$' } }),
    ];
    const items = toValidationItems(errors, parts({ key: '', other: 'b' }));
    expect(items.map(({ type, loc }) => [type, loc[1]])).toEqual([
      ['string_too_short', 'key'],
      ['value_error', 'other'],
    ]);
  });

  test('an if with a rule speaks for what it asked of the fields', () => {
    const errors = [
      error({ keyword: 'required', schemaPath: '#/then/required', params: { missingProperty: 'id' } }),
      error({
        keyword: 'if',
        schemaPath: '#/if',
        params: { failingKeyword: 'then' },
        ...rule('id is required'),
      }),
    ];
    expect(toValidationItems(errors, parts({}))).toEqual([
      {
        type: 'value_error',
        loc: ['body'],
        msg: 'id is required',
        input: {},
        ctx: { error: 'id is required' },
      },
    ]);
  });

  test('an if without a rule says nothing beside what it asked', () => {
    const errors = [
      error({ keyword: 'required', schemaPath: '#/then/required', params: { missingProperty: 'id' } }),
      error({ keyword: 'if', schemaPath: '#/if', params: { failingKeyword: 'then' } }),
    ];
    expect(toValidationItems(errors, parts({}))).toMatchObject([{ type: 'missing', loc: ['body', 'id'] }]);
  });

  test('a rule is silent where a field it crosses is wrong, and speaks elsewhere', () => {
    const broken = error({ keyword: 'if', schemaPath: '#/if', instancePath: '/body/a', ...rule('a rule') });
    const within = error({ instancePath: '/body/a/b', params: { type: 'string' } });
    const beside = error({ instancePath: '/body/c', params: { type: 'string' } });
    expect(toValidationItems([broken, within], parts({})).map(({ loc }) => loc)).toEqual([
      ['body', 'a', 'b'],
    ]);
    expect(toValidationItems([broken, beside], parts({})).map(({ loc }) => loc)).toEqual([
      ['body', 'c'],
      ['body', 'a'],
    ]);
  });

  test('of the rules of one object the first one speaks', () => {
    const first = error({ keyword: 'if', schemaPath: '#/allOf/0/if', ...rule('the first') });
    const second = error({ keyword: 'if', schemaPath: '#/allOf/1/if', ...rule('the second') });
    const third = error({
      keyword: 'if',
      schemaPath: '#/allOf/1/if',
      instancePath: '/body/x',
      ...rule('the third'),
    });
    expect(toValidationItems([first, second, third], parts({})).map(({ msg }) => msg)).toEqual([
      'the first',
      'the third',
    ]);
  });

  test('the null of a nullable object is not asked for', () => {
    const errors = [
      error({ instancePath: '/body/a', params: { type: 'object' } }),
      error({ instancePath: '/body/a', params: { type: 'null' } }),
      error({ keyword: 'anyOf', instancePath: '/body/a' }),
    ];
    expect(toValidationItems(errors, parts({ a: 1 })).map(({ type }) => type)).toEqual([
      'model_attributes_type',
    ]);
  });

  test('a missing tag is said once', () => {
    const errors = [
      error({ keyword: 'required', params: { missingProperty: 'kind' } }),
      error({ keyword: 'discriminator', params: { error: 'tag', tag: 'kind' } }),
    ];
    expect(toValidationItems(errors, parts({}))).toEqual([
      {
        type: 'union_tag_not_found',
        loc: ['body', 'kind'],
        msg: "'kind' is required",
        input: {},
        ctx: { discriminator: 'kind' },
      },
    ]);
  });
});
