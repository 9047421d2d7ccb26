/** One error as ajv reports it. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  /** The schema that holds the keyword; its `x-rule` says in words what the keyword is for, `x-tags` the tags of a union. */
  parentSchema?: unknown;
}

/** Keywords that only say that something below them failed. */
const wrappers = new Set(['anyOf', 'oneOf', 'allOf', 'dependentSchemas']);

/** The text of the rule that an error breaks, or null where the schema names none. */
export function ruleOf(error: SchemaError): string | null {
  const rule = (error.parentSchema as { 'x-rule'?: unknown } | undefined)?.['x-rule'];
  return typeof rule === 'string' ? rule : null;
}

const isRule = (error: SchemaError): boolean =>
  (error.keyword === 'if' || error.keyword === 'not') && ruleOf(error) !== null;

/** The errors that matter: what an `if`, an `anyOf` with null or an unmatched branch adds to them is left out. */
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
  // A cross rule only speaks when the fields it crosses are fine in themselves.
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

/** A text that must not be empty breaks its pattern, too, which says nothing more. */
const isEmpty = ({ instancePath }: SchemaError, errors: readonly SchemaError[]): boolean =>
  errors.some(
    (other) =>
      other.keyword === 'minLength' && other.params.limit === 1 && other.instancePath === instancePath,
  );

/** The rules of one object are read in their order; the first broken one speaks. */
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
