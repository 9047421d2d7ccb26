import type { Transport } from './transport.js';

/** Makes the transport for other platforms than Node, which handle proxies themselves. */
export function createTransport(): Transport {
  return { fetch: (request) => globalThis.fetch(request), Request: globalThis.Request };
}
