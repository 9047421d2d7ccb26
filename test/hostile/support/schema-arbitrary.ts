import fc from 'fast-check';

/** A JSON schema, as far as the contract uses its words. */
// biome-ignore lint/suspicious/noExplicitAny: schemas have every shape.
export type Schema = any;

export interface SchemaWorld {
  /** Follows a reference. */
  resolve(reference: string): Schema;
  /** Whether a value keeps to a schema: values that do not are discarded and generated again. */
  accepts(schema: Schema, value: unknown): boolean;
  /** Text that may stand for a property, where any text would do; null leaves it to the schema. */
  text(property: string): fc.Arbitrary<string> | null;
}

/**
 * Values that keep to a schema of the contract. Conditions (`if`, `dependentSchemas`) are met by building one of their
 * branches into the schema.
 */
export function validArbitrary(schema: Schema, world: SchemaWorld, property = ''): fc.Arbitrary<unknown> {
  if (schema === true) return fc.jsonValue();
  if (schema.$ref) {
    const { $ref, ...beside } = schema;
    return validArbitrary({ ...world.resolve($ref), ...beside }, world, property);
  }
  const conditions = conditionsOf(schema);
  const plain = without(schema);
  if (conditions.length === 0 && !schema.not) return plainArbitrary(plain, world, property);
  const branches = conditions.reduce<Schema[]>(
    (variants, condition) => variants.flatMap((variant) => branchesOf(variant, condition, world)),
    [plain],
  );
  return fc
    .oneof(...branches.map((branch) => plainArbitrary(branch, world, property)))
    .filter((value) => world.accepts(schema, value));
}

const conditionsOf = (schema: Schema): Schema[] => [
  ...(schema.if ? [schema] : []),
  ...(schema.allOf ?? []).flatMap((one: Schema) => conditionsOf(one)),
  ...Object.values<Schema>(schema.dependentSchemas ?? {}).flatMap((one) => conditionsOf(one)),
];

function without(schema: Schema): Schema {
  const { if: _if, then: _then, else: _else, allOf: _allOf, dependentSchemas: _dependent, ...plain } = schema;
  return plain;
}

function branchesOf(schema: Schema, condition: Schema, world: SchemaWorld): Schema[] {
  const met = [condition.if, condition.then ?? {}].reduce((all, one) => overlaid(all, one, world), schema);
  const unmet = overlaid(schema, condition.else ?? {}, world);
  return [met, unmet].filter((branch) => branch !== null);
}

/** @returns null when the two contradict each other. */
function overlaid(schema: Schema | null, overlay: Schema, world: SchemaWorld): Schema | null {
  if (schema === null) return null;
  const properties = { ...schema.properties };
  for (const [name, narrow] of Object.entries<Schema>(overlay.properties ?? {})) {
    const narrowed = narrowedBy(properties[name] ?? {}, narrow, world);
    if (narrowed === null && (schema.required ?? []).includes(name)) return null;
    if (narrowed === null) delete properties[name];
    else properties[name] = narrowed;
  }
  const required = [...new Set([...(schema.required ?? []), ...(overlay.required ?? [])])];
  if (required.some((name) => !(name in properties))) return null;
  return { ...schema, properties, required };
}

function narrowedBy(schema: Schema, narrow: Schema, world: SchemaWorld): Schema | null {
  const whole = schema.$ref ? world.resolve(schema.$ref) : schema;
  if (narrow.type === undefined) return { ...whole, ...narrow };
  if (whole.anyOf) {
    const fitting = whole.anyOf.filter((one: Schema) => typesOf(one, world).includes(narrow.type));
    return fitting.length > 0 ? { anyOf: fitting } : null;
  }
  return typesOf(whole, world).includes(narrow.type) ? { ...whole, type: narrow.type } : null;
}

const typesOf = (schema: Schema, world: SchemaWorld): string[] =>
  [(schema.$ref ? world.resolve(schema.$ref) : schema).type ?? []].flat();

function plainArbitrary(schema: Schema, world: SchemaWorld, property: string): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return fc.oneof(...variants.map((one: Schema) => validArbitrary(one, world, property)));
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => typed(type, schema, world, property)));
}

function typed(type: string, schema: Schema, world: SchemaWorld, property: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: lowest(schema, 1), max: Math.min(schema.maximum ?? 2 ** 31, 2 ** 31) });
    case 'number':
      return fc
        .double({ min: lowest(schema, 0.001), max: schema.maximum ?? 1e9, noNaN: true })
        .map((value) => (value === 0 ? 0 : value));
    case 'string':
      return world.text(property) ?? text(schema);
    case 'array':
      return arrays(schema, world, property);
    case 'object':
      return objects(schema, world);
    default:
      throw new Error(`no values for ${JSON.stringify(schema)}`);
  }
}

const lowest = (schema: Schema, step: number): number =>
  Math.max(
    schema.minimum === undefined
      ? -1e9
      : schema.minimum + (schema.not?.enum.includes(schema.minimum) ? step : 0),
    -1e9,
  );

function text(schema: Schema): fc.Arbitrary<string> {
  const bounds = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 300) };
  if (schema.format === 'iso-instant') return instants;
  const blank = !schema.pattern || new RegExp(schema.pattern).test('');
  if (schema.format !== 'process-text' && schema.pattern && schema.pattern !== '\\S')
    return fc.stringMatching(new RegExp(schema.pattern));
  const any = fc.string({ unit: 'grapheme', ...bounds }).map((one) => one.replaceAll('\0', ''));
  return blank ? any : any.map((one) => `${one}x`);
}

const instants = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .chain((date) => {
    const whole = date.toISOString();
    return fc.constantFrom(whole, whole.slice(0, 10), whole.slice(0, 16), whole.replace('Z', '+02:00'));
  });

function arrays(schema: Schema, world: SchemaWorld, property: string): fc.Arbitrary<unknown[]> {
  const items = validArbitrary(schema.items ?? true, world, property);
  const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 4, 4) };
  return schema.uniqueItems ? fc.uniqueArray(items, bounds) : fc.array(items, bounds);
}

function objects(schema: Schema, world: SchemaWorld): fc.Arbitrary<unknown> {
  const members = Object.entries<Schema>(schema.properties ?? {}).map(
    ([name, inner]) => [name, validArbitrary(inner, world, name)] as const,
  );
  return fc.record(Object.fromEntries(members), {
    requiredKeys: schema.required ?? [],
    noNullPrototype: true,
  } as never);
}
