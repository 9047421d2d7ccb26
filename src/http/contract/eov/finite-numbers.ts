import type { SurfaceRequest } from '../../server/server.js';
import type { ValidatorError } from './keep-schema-errors.js';

/**
 * Refuses infinite numbers in a query: ajv reads `Infinity` and `1e999` as the number Infinity, and then applies neither
 * `maximum` nor `integer` to it. No upstream issue is known. Remove when the test `finite-numbers` says that the validator
 * refuses them by itself.
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
