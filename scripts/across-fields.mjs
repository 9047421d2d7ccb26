// The rules of a bundled contract that go across fields (if, then, else), as TypeScript types to be intersected with those of
// single fields: what callers send against them does not compile. A step of its own because openapi-typescript reads no
// conditions. Only what TypeScript can say is said; the server checks the rest.
import ts from 'typescript';

const { factory } = ts;
const keywords = {
  string: ts.SyntaxKind.StringKeyword,
  number: ts.SyntaxKind.NumberKeyword,
  integer: ts.SyntaxKind.NumberKeyword,
  boolean: ts.SyntaxKind.BooleanKeyword,
  object: ts.SyntaxKind.ObjectKeyword,
};

/** @returns by its name, for each schema that requests are made of, the types that its values have to fit, too. */
export function rulesAcrossFields(document) {
  const schemas = document.components?.schemas ?? {};
  const resolve = (schema) => (schema?.$ref ? schemas[nameIn(schema.$ref)] : schema);
  const sent = [...sentSchemas(document)].map((name) => [name, rulesOf(schemas[name], resolve)]);
  return new Map(sent.filter(([, rules]) => rules.length > 0));
}

const nameIn = (ref) => ref.replace('#/components/schemas/', '');

/** The names of the schemas that bodies of requests are made of: what is answered may be read as it comes. */
function sentSchemas({ paths, components }) {
  const names = new Set();
  const collect = (value) => {
    if (Array.isArray(value)) return value.forEach(collect);
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value;
    if (typeof $ref === 'string' && $ref.startsWith('#/components/schemas/') && !names.has(nameIn($ref))) {
      names.add(nameIn($ref));
      collect(components.schemas[nameIn($ref)]);
    }
    Object.values(value).forEach(collect);
  };
  for (const item of Object.values(paths))
    for (const operation of Object.values(item)) collect(operation?.requestBody);
  return names;
}

function rulesOf(schema, resolve) {
  const { dependentSchemas = {} } = schema;
  const conditions = [
    schema,
    ...Object.values(dependentSchemas).flatMap((each) => [each, ...(each.allOf ?? [])]),
  ];
  return conditions
    .filter((each) => each.if && !isOfOneField(each))
    .map((each) => eitherOf(each, schema, resolve));
}

/** `if` and `then`, or not `if` and `else`. */
function eitherOf({ if: condition, then: consequence, else: otherwise }, schema, resolve) {
  const holds = shape([
    ...fieldsOf(condition, schema),
    ...(consequence ? fieldsOf(consequence, schema) : []),
  ]);
  const fails = Object.entries(condition.properties).map(([name, test]) => {
    // A test of what is required fails where the field is left out, and one of what is not does not.
    const given = !condition.required?.includes(name);
    const rest = field(schema, name, without(resolve(schema.properties[name]), test, resolve), given);
    return shape([rest, ...(otherwise ? fieldsOf(otherwise, schema) : [])]);
  });
  return factory.createUnionTypeNode([holds, ...fails]);
}

/** A rule such as "this value is not supported yet" forbids what a newer server may take: it is left to the server. */
const isOfOneField = ({ if: condition, then: consequence, else: otherwise }) =>
  new Set([condition, consequence, otherwise].flatMap((part) => Object.keys(part?.properties ?? {}))).size ===
  1;

const fieldsOf = ({ properties, required = [] }, schema) =>
  Object.entries(properties).map(([name, test]) =>
    field(schema, name, typeOf(test), required.includes(name)),
  );

const field = (schema, name, type, isGiven = false) => ({
  name,
  type,
  optional: !isGiven && !schema.required?.includes(name),
});

const shape = (fields) =>
  factory.createTypeLiteralNode(
    fields.map(({ name, type, optional }) => {
      const mark = optional ? factory.createToken(ts.SyntaxKind.QuestionToken) : undefined;
      return factory.createPropertySignature(undefined, name, mark, type);
    }),
  );

const literal = (value) =>
  factory.createLiteralTypeNode(value === null ? factory.createNull() : factory.createStringLiteral(value));
const kind = (name) => (name === 'null' ? literal(null) : factory.createKeywordTypeNode(keywords[name]));
const union = (types) => (types.length === 1 ? types[0] : factory.createUnionTypeNode(types));

/** Returns the type of the values that a test lets through. */
function typeOf(test) {
  const values = valuesOf(test);
  return union(values ? values.map(literal) : [test.type].flat().map(kind));
}

const valuesOf = (test) => ('const' in test ? [test.const] : test.enum);

/** Returns the type of the values of a field that a test does not let through. */
function without(property, test, resolve) {
  const tested = valuesOf(test);
  if (tested)
    return union(
      valuesOf(property)
        .filter((value) => !tested.includes(value))
        .map(literal),
    );
  const kinds = [property, ...(property.anyOf ?? [])].flatMap((each) => resolve(each).type ?? []);
  return union(kinds.filter((each) => each !== test.type).map(kind));
}
