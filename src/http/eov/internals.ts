import framework from 'express-openapi-validator/dist/framework/index.js';
import documentValidator from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import schemaPreprocessor from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import util from 'express-openapi-validator/dist/middlewares/util.js';
import patterns from 'path-to-regexp';

/** The modules inside express-openapi-validator that the workarounds beside this file change. */
export interface Internals {
  /** `framework`. */
  framework: object;
  /** `middlewares/util`. */
  util: object;
  /** `middlewares/parsers/schema.preprocessor`. */
  schemaPreprocessor: object;
  /** `framework/openapi.schema.validator`. */
  documentValidator: object;
  /** `path-to-regexp`: the one it uses, at the version that package.json pins for this. */
  patterns: object;
}

export const internals: Internals = { framework, util, schemaPreprocessor, documentValidator, patterns };
