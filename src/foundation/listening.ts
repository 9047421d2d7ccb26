import { createServer } from 'node:net';

/** Where something listens, or is to. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** What an attempt to listen has met, in words. */
export const listenTrouble = (
  { code, message }: NodeJS.ErrnoException,
  { host, port }: ListenPlace,
): string =>
  code === 'EADDRINUSE'
    ? `another program has port ${port} of ${host}; choose another --port, or 0 for any free one`
    : message;

/** Whether what a program said before it ended is that trouble. */
export const saysAddressTaken = (said: string): boolean => /another program has port \d+/i.test(said);

/** Why nobody could listen there now; null where somebody could. */
export const listenObstacle = (place: ListenPlace): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', (error) => resolve(listenTrouble(error, place)))
      .listen(place.port, place.host, () => server.close(() => resolve(null)));
  });
