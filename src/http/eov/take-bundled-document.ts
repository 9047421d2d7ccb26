import type { Internals } from './internals.js';

/**
 * express-openapi-validator searches every document for references to other files, also one that it was given as an
 * object: a tenth of a start. Ours is bundled by `npm run generate`. No upstream issue is known. Remove when the test
 * `take-bundled-document` says that an object is taken as it is.
 */
export function takeBundledDocument(internals: Internals): void {
  const { OpenAPIFramework } = internals.framework as {
    OpenAPIFramework: { prototype: { loadSpec(document: object): object } };
  };
  OpenAPIFramework.prototype.loadSpec = (document) => document;
}
