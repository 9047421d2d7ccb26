import type { SurfaceRequest } from '../../server/messages.js';
import type { ValidatorError } from './keep-schema-errors.js';

/**
 * In a query, ajv reads `Infinity` and `1e999` as the number Infinity, which it then does not hold against `maximum` or
 * `integer`: no number, no rule. No upstream issue is known. Such a value is refused here. Remove when the test
 * `finite-numbers` says that the validator refuses it by itself.
 * @throws ValidatorError
 */
export function finiteNumbers({ query }: Pick<SurfaceRequest, 'query'>): void {
  const endless = Object.entries(query as Record<string, unknown>).filter(
    ([, value]) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
  );
  if (endless.length === 0) return;
  const errors = endless.map(([name]) => {
    const instancePath = `/query/${name}`;
    return {
      path: instancePath,
      message: '',
      schemaError: { keyword: 'x-finite', instancePath, schemaPath: '', params: {} },
    };
  });
  throw { status: 400, errors } satisfies ValidatorError;
}
