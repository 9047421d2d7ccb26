import type { Environment } from '../../core/surface.js';

/** A browser has no place to look: a page names the token itself, and the browser decides about proxies. */
export const environment: Environment = {
  findToken: async () => null,
  obeysProxyVariables: () => false,
};
