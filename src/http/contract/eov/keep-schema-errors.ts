import type { SchemaError } from '../../../contract/broken-rules.js';

/** An error of express-openapi-validator with ajv's own error behind each entry. */
export interface ValidatorError {
  status: number;
  errors: { path: string; message: string; schemaError?: SchemaError }[];
}

/**
 * Keeps `keyword`, `params` and `schemaPath` of ajv's errors, which express-openapi-validator drops; a 422 that names the rule
 * needs them. The library's module is patched once for all surfaces, because it holds no state of any. No upstream issue is
 * known. Remove when the test `keep-schema-errors` says that these fields come through by themselves.
 * @param module `middlewares/util`.
 */
export function keepSchemaErrors(module: object): void {
  const util = module as { ajvErrorsToValidatorError: Convert };
  const convert = util.ajvErrorsToValidatorError;
  if (convert.keepsSchemaErrors) return;
  const keepingConvert: Convert = (status, errors) => {
    const error = convert(status, errors);
    error.errors.forEach((entry, index) => {
      const schemaError = errors[index];
      if (schemaError) entry.schemaError = schemaError;
    });
    return error;
  };
  keepingConvert.keepsSchemaErrors = true;
  util.ajvErrorsToValidatorError = keepingConvert;
}

interface Convert {
  (status: number, errors: SchemaError[]): ValidatorError;
  /** Set on our patched function. */
  keepsSchemaErrors?: boolean;
}
