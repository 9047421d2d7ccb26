import ts from 'typescript';
import { expect, test } from 'vitest';

const script = new URL('../../../scripts/across-fields.mjs', import.meta.url).href;
const { rulesAcrossFields } = (await import(script)) as {
  rulesAcrossFields: (document: object) => Map<string, ts.TypeNode[]>;
};

/** The rules of schemas, as TypeScript on one line. */
function reported(schemas: Record<string, object>, sent: string[]): Record<string, string[]> {
  const bodies = sent.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const requestBody = { content: { 'application/json': { schema: { oneOf: bodies } } } };
  const answer = { $ref: '#/components/schemas/Answer' };
  const rules = rulesAcrossFields({
    paths: { '/loans': { post: { requestBody, responses: { 200: { schema: answer } } } } },
    components: { schemas },
  });
  const file = ts.createSourceFile('rules.ts', '', ts.ScriptTarget.Latest);
  const printer = ts.createPrinter({ removeComments: true });
  const print = (node: ts.Node) =>
    printer.printNode(ts.EmitHint.Unspecified, node, file).replace(/\s+/g, ' ');
  return Object.fromEntries([...rules].map(([name, nodes]) => [name, nodes.map(print)]));
}

/** A condition of JSON Schema; an object literal with a `then` would look like a promise. */
const rule = (condition: object, consequence: object, otherwise?: object): object =>
  Object.fromEntries(Object.entries({ if: condition, else: otherwise }).concat([['then', consequence]]));

const days = { type: ['integer', 'null'] };

test('a rule over a choice and a field that belongs to it', () => {
  const Loan = {
    required: ['kind'],
    properties: { kind: { $ref: '#/components/schemas/Kind' }, days },
    ...rule(
      { properties: { kind: { const: 'short' } }, required: ['kind'] },
      { properties: { days: { type: 'integer' } }, required: ['days'] },
      { properties: { days: { type: 'null' } } },
    ),
  };
  expect(reported({ Loan, Kind: { enum: ['short', 'long', 'for ever'] } }, ['Loan'])).toEqual({
    Loan: ['{ kind: "short"; days: number; } | { kind: "long" | "for ever"; days?: null; }'],
  });
});

test('one of two fields, one of which is an object', () => {
  const card = { anyOf: [{ $ref: '#/components/schemas/Card' }, { type: 'null' }] };
  const Reader = {
    properties: { name: { type: ['string', 'null'] }, card },
    dependentSchemas: {
      name: {
        allOf: [
          rule(
            { properties: { card: { type: 'object' } }, required: ['card'] },
            { properties: { name: { type: 'null' } } },
            { properties: { name: { type: 'string' } }, required: ['name'] },
          ),
        ],
      },
    },
  };
  expect(reported({ Reader, Card: { type: 'object' } }, ['Reader'])).toEqual({
    Reader: ['{ card: object; name?: null; } | { card?: null; name: string; }'],
  });
});

test('at least one of several', () => {
  const flag = { type: ['boolean', 'null'] };
  const Mark = {
    properties: { read: flag, lent: flag, gone: flag },
    ...rule(
      { properties: { lent: { type: 'null' }, gone: { type: 'null' } } },
      { properties: { read: { type: 'boolean' } }, required: ['read'] },
    ),
  };
  expect(reported({ Mark }, ['Mark'])).toEqual({
    Mark: ['{ lent?: null; gone?: null; read: boolean; } | { lent: boolean; } | { gone: boolean; }'],
  });
});

test('what is only answered has none, and a rule over one field is the server’s alone', () => {
  const Answer = {
    properties: { days, name: { type: ['string', 'null'] } },
    ...rule({ properties: { days: { type: 'integer' } } }, { properties: { name: { type: 'string' } } }),
  };
  const Loan = {
    properties: { days },
    ...rule(
      { properties: { days: { type: 'integer' } }, required: ['days'] },
      { properties: { days: { const: 1 } } },
    ),
  };
  expect(reported({ Answer, Loan }, ['Loan'])).toEqual({});
});
