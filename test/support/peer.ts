import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Something that speaks HTTP on this machine until the test ends. */
export interface Peer {
  readonly port: number;
  /** How many connections it has taken so far. */
  readonly connections: () => number;
  /** The next request that arrives. */
  readonly next: () => Promise<IncomingMessage>;
}

/** @param answer what it does with each request; left out, it answers none. */
export async function peer(
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined,
): Promise<Peer> {
  let connections = 0;
  const server = createServer(answer);
  server.on('connection', () => {
    connections += 1;
  });
  // It is no proxy.
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    next: async () => ((await once(server, 'request')) as [IncomingMessage])[0],
  };
}
