import type { Transport } from './transport.js';

/** Elsewhere than in Node, proxies are the platform's business. */
export function createTransport(): Transport {
  return { fetch: (request) => globalThis.fetch(request), Request: globalThis.Request };
}
