import type { Environment } from './surface.js';

/**
 * The environment in a browser, which has no place to look for a token: the page gives it, and the browser decides about
 * proxies and the user agent.
 */
export const webEnvironment: Environment = {
  findToken: async () => null,
  obeysProxyVariables: () => false,
  runtime: null,
  readFailure: (reason, baseUrl) => {
    const { location } = globalThis as { location?: { readonly origin: string } };
    const origin = location?.origin;
    // The browser hides from a page whether it was refused or no server was there.
    const isOther = origin && origin !== new URL(baseUrl).origin;
    const hint = isOther
      ? ` Or it lets in no pages of ${origin}: start it with --allowed-origin ${origin}.`
      : '';
    const words = reason instanceof Error ? reason.message : String(reason);
    return { words: `${words}.${hint}`, isUnreached: false };
  },
  log: {
    level: () => 'off',
    print: (level, line) => console[level](line),
  },
};
