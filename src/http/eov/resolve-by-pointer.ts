import type { Internals } from './internals.js';

/**
 * To look a `$ref` up while it prepares a document, express-openapi-validator lets ajv compile what it points to and
 * throws the validator away: half of a start. A reference within one document is a walk along its pointer. No upstream
 * issue is known. Remove when the test `resolve-by-pointer` says that preparing compiles nothing.
 */
export function resolveByPointer(internals: Internals): void {
  const { SchemaPreprocessor } = internals.schemaPreprocessor as { SchemaPreprocessor: Preprocessor };
  SchemaPreprocessor.prototype.resolveSchema = function resolveSchema(schema) {
    const reference = schema?.$ref;
    if (typeof reference !== 'string') return schema ?? null;
    const steps = reference.slice(2).split('/');
    return (
      steps.reduce<Node | undefined>((at, step) => at?.[unescaped(step)] as Node | undefined, this.apiDoc) ??
      null
    );
  };
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

interface Node {
  $ref?: string;
  [key: string]: unknown;
}
interface Preprocessor {
  prototype: { apiDoc: Node; resolveSchema(schema: Node | null | undefined): Node | null };
}
