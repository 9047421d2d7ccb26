import { createServer, type Server } from 'node:net';

/** A port of loopback that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @param path of a socket; left out, a port of this machine is taken, and returned. */
export const listening = (server: Server, path?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    const done = (): void => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    };
    if (path === undefined) server.listen(0, '127.0.0.1', done);
    else server.listen(path, done);
  });
