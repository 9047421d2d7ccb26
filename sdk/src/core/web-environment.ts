import type { Environment } from './surface.js';

/** A browser has no place to look: a page names the token itself, and the browser decides about proxies and names itself. */
export const webEnvironment: Environment = {
  findToken: async () => null,
  obeysProxyVariables: () => false,
  runtime: null,
  readFailure: (reason, baseUrl) => {
    const { location } = globalThis as { location?: { readonly origin: string } };
    const origin = location?.origin;
    // The browser keeps from a page whether it was refused or nobody was there.
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
