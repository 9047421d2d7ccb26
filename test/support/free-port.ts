import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * A port of loopback that nobody has now, for a program that must be given one. It lies below those that Linux hands out for port 0
 * and for outgoing connections (from 32768), of which another test could be given this one before the program has it.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = randomInt(10_240, 32_768);
  try {
    await listening(server, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return freePort();
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @param place the path of a socket, or a port; left out, a port of this machine is taken, and returned. */
export const listening = (server: Server, place: string | number = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    const done = (): void => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    };
    if (typeof place === 'number') server.listen(place, '127.0.0.1', done);
    else server.listen(place, done);
  });
