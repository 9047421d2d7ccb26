import type { Transport } from './transport.js';

/** A caller's own `fetch`. */
export type OwnFetch = (request: Request) => Promise<Response>;

/**
 * Makes the transport of a caller's own `fetch`, which gets requests of the platform's class. Throws a TypeError when it is no
 * function.
 */
export function ownTransport(fetch: OwnFetch): Transport {
  if (typeof fetch !== 'function') throw new TypeError('fetch must be a function such as globalThis.fetch');
  // A browser's `fetch` refuses to be called as a method.
  return { fetch: (request) => fetch(request), Request: globalThis.Request };
}
