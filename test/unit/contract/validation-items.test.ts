import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type RequestParts,
  type SchemaError,
  toValidationItems,
} from '../../../src/contract/validation-items.js';

const parts = (body: unknown): RequestParts => ({ body, query: {}, path: {}, header: {} });
const error = (given: Partial<SchemaError>): SchemaError => ({
  keyword: 'type',
  instancePath: '/body',
  schemaPath: '#/type',
  params: {},
  ...given,
});
const rule = (text: string) => ({ parentSchema: { 'x-rule': text } });

describe('any errors at all', () => {
  const keyword = fc.constantFrom(
    ...[
      'type',
      'x-eov-type',
      'enum',
      'const',
      'pattern',
      'format',
      'discriminator',
      'required',
      'minimum',
      'maximum',
    ],
    ...[
      'exclusiveMinimum',
      'exclusiveMaximum',
      'minLength',
      'maxLength',
      'minItems',
      'if',
      'not',
      'anyOf',
      'oneOf',
    ],
    ...['allOf', 'additionalProperties', 'unevaluatedProperties', 'x-finite', 'serdes', 'uniqueItems'],
  );
  const pointer = fc
    .tuple(
      fc.constantFrom(
        '/body',
        '/query',
        '/params',
        '/headers',
        '/path',
        '/cookies',
        '',
        '/v1/requests',
        'odd',
      ),
      fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.nat(3).map(String)), { maxLength: 4 }),
    )
    .map(([root, rest]) => [root, ...rest].join('/'));
  const params = fc.dictionary(
    fc.constantFrom(
      'missingProperty',
      'additionalProperty',
      'type',
      'allowedValues',
      'allowedValue',
      'limit',
      'tag',
      'error',
      'pattern',
      'format',
    ),
    fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()), fc.constant(null)),
  );
  const anyError: fc.Arbitrary<SchemaError> = fc.record(
    {
      keyword,
      instancePath: pointer,
      schemaPath: fc.constantFrom(
        '#/if',
        '#/then/required',
        '#/else/type',
        '#/allOf/0/if',
        'x#/properties/a/type',
        '',
      ),
      params: params.map((given) =>
        'allowedValues' in given ? { ...given, allowedValues: [given.allowedValues] } : given,
      ),
      message: fc.string(),
      parentSchema: fc.oneof(fc.constant({ 'x-rule': 'a rule' }), fc.anything()),
    },
    { requiredKeys: ['keyword', 'instancePath', 'schemaPath', 'params'] },
  );

  test('become at most 32 items, each in its place, and never a throw', () => {
    fc.assert(
      fc.property(fc.array(anyError, { maxLength: 60 }), fc.jsonValue(), (errors, value) => {
        const items = toValidationItems(errors, {
          body: value,
          query: { a: value },
          path: {},
          header: { b: 'c' },
        });
        expect(items.length).toBeLessThanOrEqual(32);
        for (const item of items) {
          expect(['body', 'query', 'path', 'header']).toContain(item.loc[0]);
          expect(item.type).toMatch(/^[a-z_]+$/);
          expect(typeof item.msg).toBe('string');
          expect(item.input).not.toBeUndefined();
        }
        const text = JSON.stringify(items);
        expect(JSON.parse(text)).toEqual(JSON.parse(text));
        const seen = items.map((item) => JSON.stringify([item.type, item.loc, item.msg]));
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
  });

  test('are never swallowed whole: a wrong field always leaves an item', () => {
    fc.assert(
      fc.property(fc.array(anyError, { maxLength: 20 }), (errors) => {
        const wrong = error({ instancePath: '/body/field', params: { type: 'string' } });
        expect(toValidationItems([...errors, wrong], parts({ field: 1 })).length).toBeGreaterThan(0);
      }),
    );
  });

  test('echo no more than 256 characters of a value', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 }),
        (value, text) => {
          for (const held of [value, text, [text, value], { [text]: value }]) {
            const [item] = toValidationItems([error({ params: { type: 'string' } })], parts(held));
            const shown = typeof item?.input === 'string' ? item.input : JSON.stringify(item?.input);
            expect([...(shown ?? '')].length).toBeLessThanOrEqual(256);
          }
        },
      ),
    );
  });
});

describe('noise', () => {
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
        msg: 'Value error, id is required',
        input: {},
        ctx: { error: {} },
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
      'Value error, the first',
      'Value error, the third',
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
    expect(toValidationItems(errors, parts({})).map(({ type }) => type)).toEqual(['union_tag_not_found']);
  });
});

describe('places and words', () => {
  test.each([
    ['/body/a/0/b', ['body', 'a', 0, 'b']],
    ['/params/request_id', ['path', 'request_id']],
    ['/headers/idempotency-key', ['header', 'idempotency-key']],
    ['/query/limit', ['query', 'limit']],
    ['/body/a~1b~0c', ['body', 'a/b~c']],
    ['/body/', ['body', '']],
  ])('%s is %j', (instancePath, loc) => {
    const found = toValidationItems([error({ instancePath, params: { type: 'string' } })], parts({ '': 1 }));
    expect(found[0]?.loc).toEqual(loc);
  });

  test('a text is only called unreadable as a number where all values are texts', () => {
    const wrong = (instancePath: string) =>
      toValidationItems([error({ instancePath, params: { type: 'integer' } })], {
        body: { n: 'x' },
        query: { n: 'x' },
        path: {},
        header: {},
      })[0]?.type;
    expect([wrong('/body/n'), wrong('/query/n')]).toEqual(['int_type', 'int_parsing']);
  });

  test('an enum and a constant are told in the words of the seeds', () => {
    const told = (given: Partial<SchemaError>) => toValidationItems([error(given)], parts({}))[0];
    expect(told({ keyword: 'enum', params: { allowedValues: ['a', 'b', 'c'] } })).toMatchObject({
      type: 'literal_error',
      msg: "Input should be 'a', 'b' or 'c'",
      ctx: { expected: "'a', 'b' or 'c'" },
    });
    expect(told({ keyword: 'const', params: { allowedValue: 1 } })?.msg).toBe('Input should be 1');
  });
});
