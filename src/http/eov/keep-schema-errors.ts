import type { SchemaError } from '../../contract/validation-items.js';
import type { Internals } from './internals.js';

/** An error of express-openapi-validator with ajv's own error behind each entry. */
export interface ValidatorError {
  status: number;
  errors: { path: string; message: string; schemaError?: SchemaError }[];
}

/**
 * express-openapi-validator drops `keyword`, `params` and `schemaPath` of ajv's errors; a 422 that names the rule needs
 * them. No upstream issue is known. Remove when the test `keep-schema-errors` says that they come through by themselves.
 */
export function keepSchemaErrors(internals: Internals): void {
  const util = internals.util as { ajvErrorsToValidatorError: Convert };
  const convert = util.ajvErrorsToValidatorError;
  if (keeping.has(convert)) return;
  const keepingConvert: Convert = (status, errors) => {
    const error = convert(status, errors);
    error.errors.forEach((entry, index) => {
      const schemaError = errors[index];
      if (schemaError) entry.schemaError = schemaError;
    });
    return error;
  };
  keeping.add(keepingConvert);
  util.ajvErrorsToValidatorError = keepingConvert;
}

type Convert = (status: number, errors: SchemaError[]) => ValidatorError;
const keeping = new WeakSet<Convert>();
