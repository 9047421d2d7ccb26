import type { SurfaceRequest } from '../../server/server.js';
import type { ValidatorError } from './keep-schema-errors.js';

/**
 * Refuses names with brackets in a query: express-openapi-validator reads them as lists and objects, and drops those it cannot
 * read in this way, so that `?[]=1` was accepted as if nothing had been sent. No parameter of ours has brackets: each such name
 * is an unknown parameter. No upstream issue is known. Remove when the test `no-brackets` says that the validator refuses them
 * by itself.
 * @throws ValidatorError
 */
export function noBrackets({ originalUrl }: Pick<SurfaceRequest, 'originalUrl'>): void {
  const query = /\?(.*)$/s.exec(originalUrl)?.[1] ?? '';
  if (!/[[\]]|%5[bd]/i.test(query)) return;
  const names = [...new URLSearchParams(query).keys()].filter((name) => /[[\]]/.test(name));
  if (names.length === 0) return;
  const errors = names.map((name) => ({ path: `/query/${name}`, message: 'Unknown query parameter' }));
  throw { status: 400, errors } satisfies ValidatorError;
}
