import type { Internals } from './internals.js';

/**
 * express-openapi-validator compiles the path pattern of every route it scans, on every request: a quarter of its time.
 * Upstream: cdimascio/express-openapi-validator#1217. Remove when the test `memoise-routes` says that it remembers by
 * itself.
 */
export function memoiseRoutes(internals: Internals): void {
  const patterns = internals.patterns as { pathToRegexp: PathToRegexp };
  const compile = patterns.pathToRegexp;
  if (remembered.has(compile)) return;
  const known = [0, 1, 2, 3].map(() => new Map<string, unknown>());
  const memoised: PathToRegexp = (path, options = {}) => {
    const others = options.end !== undefined || options.trailing !== undefined;
    if (typeof path !== 'string' || others) return compile(path, options);
    // Asked some thirty times a request: a map per pair of flags is cheaper than a key made of them.
    const patternsOf = known[(options.sensitive ? 1 : 0) + (options.strict ? 2 : 0)];
    const found = patternsOf?.get(path) ?? compile(path, options);
    patternsOf?.set(path, found);
    return found;
  };
  remembered.add(memoised);
  patterns.pathToRegexp = memoised;
}

interface PatternOptions {
  sensitive?: boolean;
  strict?: boolean;
  end?: boolean;
  trailing?: boolean;
}
type PathToRegexp = (path: unknown, options?: PatternOptions) => unknown;
const remembered = new WeakSet<PathToRegexp>();
