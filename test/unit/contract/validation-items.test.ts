import fc from 'fast-check';
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
      'maxItems',
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
    // As JSON text has it: that writes -0 as 0.
    const anyValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.array(anyError, { maxLength: 60 }), anyValue, (errors, value) => {
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
        // Nothing of it is lost on its way to the caller.
        expect(JSON.parse(JSON.stringify(items))).toEqual(items);
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

  test('a wrong tag is pointed at, with the tags there are', () => {
    const wrong = error({
      keyword: 'discriminator',
      params: { error: 'mapping', tag: 'kind', tagValue: 'pause' },
      parentSchema: { 'x-tags': ['submit_prompt', 'interrupt'] },
    });
    expect(toValidationItems([wrong], parts({ kind: 'pause' }))).toEqual([
      {
        type: 'union_tag_invalid',
        loc: ['body', 'kind'],
        msg: "'pause' is not a kind; use 'submit_prompt', 'interrupt'",
        input: 'pause',
        ctx: { discriminator: 'kind', tag: 'pause', expected_tags: "'submit_prompt', 'interrupt'" },
      },
    ]);
  });

  test('an enum and a constant are worded as Pydantic does', () => {
    const reported = (given: Partial<SchemaError>) => toValidationItems([error(given)], parts({}))[0];
    expect(reported({ keyword: 'enum', params: { allowedValues: ['a', 'b', 'c'] } })).toMatchObject({
      type: 'literal_error',
      msg: "Input should be 'a', 'b' or 'c'",
      ctx: { expected: "'a', 'b' or 'c'" },
    });
    expect(reported({ keyword: 'const', params: { allowedValue: 1 } })?.msg).toBe('Input should be 1');
  });
});
