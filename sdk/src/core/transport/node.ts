// By its file: Bun has a stand-in of its own for `undici`, which obeys proxy variables (https://github.com/oven-sh/bun/issues/38840).
import { fetch, Request } from 'undici/index.js';
import { createDispatcher } from './dispatcher.js';
import type { Transport } from './transport.js';

/**
 * Makes the transport for Node. Node's own `fetch` obeys proxy variables under `NODE_USE_ENV_PROXY=1`, and a program can replace its
 * dispatcher; undici's `fetch` with a dispatcher of its own depends on neither.
 */
export function createTransport(obeysProxyVariables: boolean): Transport {
  const dispatcher = createDispatcher(obeysProxyVariables);
  const send = async (request: Request | globalThis.Request) => {
    if (request instanceof Request) return fetch(request, { dispatcher });
    // Middleware uses the classes of the platform, which are not those of the package.
    const { url, method, headers, redirect, signal } = request;
    const body = request.body === null ? null : await request.arrayBuffer();
    const answer = await fetch(url, { method, headers: [...headers], redirect, signal, body, dispatcher });
    const { status, statusText } = answer;
    return new Response(answer.body, { status, statusText, headers: [...answer.headers] });
  };
  // Both declare the same web standard: undici, and the types of Node.
  return { fetch: send, Request } as unknown as Transport;
}
