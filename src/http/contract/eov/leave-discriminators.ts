import type { Preprocessor } from './internals.js';

/**
 * Stops express-openapi-validator from compiling every variant of a discriminator once more, for bodies that are discriminated
 * at their root. Our bodies are wrapped (`runtimeDocument`) and ajv's own `discriminator` keyword chooses the variant, so these
 * validators are never used. No upstream issue is known. Remove when the test `leave-discriminators` says that preparing a
 * document with one compiles nothing.
 */
export function leaveDiscriminators(preprocessor: Preprocessor): void {
  Object.assign(preprocessor, { processDiscriminator: () => undefined });
}
