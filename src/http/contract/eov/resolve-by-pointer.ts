import type { Preprocessor } from './internals.js';

/**
 * Resolves references without compiling: to look up a `$ref` while it prepares a document, express-openapi-validator lets ajv
 * compile the schema behind it and throws the validator away, which takes half of the preparation time. A reference within one
 * document only needs a walk along its pointer. No upstream issue is known. Remove when the test `resolve-by-pointer` says that
 * preparing compiles nothing.
 */
export function resolveByPointer(preprocessor: Preprocessor): void {
  const resolveSchema = (schema: Node | null | undefined): Node | null =>
    typeof schema?.$ref === 'string' ? at(preprocessor.apiDoc, schema.$ref) : (schema ?? null);
  Object.assign(preprocessor, { resolveSchema });
}

/** @param reference a JSON pointer behind `#`. @returns null when it points to nothing. */
export function at(document: object, reference: string): Node | null {
  const steps = reference.slice(2).split('/');
  return (
    steps.reduce<Node | undefined>(
      (node, step) => node?.[step.replaceAll('~1', '/').replaceAll('~0', '~')] as Node | undefined,
      document as Node,
    ) ?? null
  );
}

interface Node {
  $ref?: string;
  [key: string]: unknown;
}
