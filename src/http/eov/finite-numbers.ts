import type { RequestHandler } from 'express';
import type { ValidatorError } from './keep-schema-errors.js';

/**
 * In a query, ajv reads `Infinity` and `1e999` as the number Infinity, which it then does not hold against `maximum` or
 * `integer`: no number, no rule. No upstream issue is known. Such a value is refused here (decision 42). Remove when the
 * test `finite-numbers` says that the validator refuses it by itself.
 */
export const finiteNumbers: RequestHandler = (request, _response, next) => {
  const endless = Object.entries(request.query as Record<string, unknown>).filter(
    ([, value]) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
  );
  if (endless.length === 0) return next();
  const errors = endless.map(([name]) => {
    const instancePath = `/query/${name}`;
    return {
      path: instancePath,
      message: '',
      schemaError: { keyword: 'x-finite', instancePath, schemaPath: '', params: {} },
    };
  });
  return next({ status: 400, errors } satisfies ValidatorError);
};
