import type { Preprocessor } from './internals.js';

/**
 * express-openapi-validator compiles every variant of a discriminator once more, for bodies that are discriminated at
 * their root. Ours are wrapped (`runtimeDocument`) and ajv's own `discriminator` keyword tells the variants apart, so
 * these validators are never asked. No upstream issue is known. Remove when the test `leave-discriminators` says that
 * preparing a document with one compiles nothing.
 */
export function leaveDiscriminators(preprocessor: Preprocessor): void {
  Object.assign(preprocessor, { processDiscriminator: () => undefined });
}
