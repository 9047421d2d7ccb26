import { createServer } from 'node:net';

/** An address on which a server listens, or is to listen. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** Describes the error of an attempt to listen. */
export const listenTrouble = (
  { code, message }: NodeJS.ErrnoException,
  { host, port }: ListenPlace,
): string =>
  code === 'EADDRINUSE'
    ? `another program has port ${port} of ${host}; choose another --port, or 0 for any free one`
    : message;

/** Decides whether the last words of a program report an address that is taken, as {@link listenTrouble} does. */
export const saysAddressTaken = (said: string): boolean => /another program has port \d+/i.test(said);

/** Returns the reason why no server could listen at a place now; null where one could. */
export const listenObstacle = (place: ListenPlace): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', (error) => resolve(listenTrouble(error, place)))
      .listen(place.port, place.host, () => server.close(() => resolve(null)));
  });
