import { createRequire } from 'node:module';

/**
 * express-openapi-validator compiles the path pattern of every route it scans, on every request: a quarter of its time.
 * Upstream: cdimascio/express-openapi-validator#1217. Remove when the test `memoise-routes` says that it remembers by
 * itself.
 */
export function memoiseRoutes(): void {
  const within = createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'));
  const patterns = within('path-to-regexp') as { pathToRegexp: PathToRegexp };
  const compile = patterns.pathToRegexp;
  if (remembered.has(compile)) return;
  const known = new Map<string, unknown>();
  const memoised: PathToRegexp = (path, options) => {
    if (typeof path !== 'string') return compile(path, options);
    const key = `${JSON.stringify(options ?? {})} ${path}`;
    const found = known.get(key) ?? compile(path, options);
    known.set(key, found);
    return found;
  };
  remembered.add(memoised);
  patterns.pathToRegexp = memoised;
}

type PathToRegexp = (path: unknown, options?: object) => unknown;
const remembered = new WeakSet<PathToRegexp>();
