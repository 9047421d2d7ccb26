// The way from one host to NATS, which can be cut without a word.
//
// A cut way passes no byte and closes nothing: each end sees what it sees when a network drops all packets, which needs no rights here.
// The kernel still takes a new connection, where a network would not; it hears nothing, so that it fails by the same limit of the client.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listening } from '../free-port.js';
import { whenOver } from '../temporary-folder.js';

/** A connection of machines that can be cut, without a word to either end. */
export interface Cut {
  /** Stops all that is on it, in both directions. */
  cut(): void;
  /** Lets it go on: what was on the way arrives, as after a short cut, or `broken` the connections of before are gone. */
  mend(how: 'late' | 'broken'): void;
}

export interface Way extends Cut {
  /** The addresses of the NATS servers by this way. */
  readonly urls: readonly string[];
}

/** Opens a way to each of these addresses; it is closed after the test. */
export async function openWay(urls: readonly string[]): Promise<Way> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const servers: Server[] = [];
  let isCut = false;
  const pass = (near: Socket, port: number): void => {
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay();
      from.on('error', () => undefined);
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
      from.pipe(to);
    }
    if (isCut) stop(pair);
  };
  const made: string[] = [];
  for (const url of urls) {
    const { port } = new URL(url);
    const server = createServer((near) => pass(near, Number(port)));
    servers.push(server);
    made.push(`nats://127.0.0.1:${await listening(server)}`);
  }
  const closeAll = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  whenOver(() => {
    closeAll();
    for (const server of servers) server.close();
  });
  return {
    urls: made,
    cut: () => {
      isCut = true;
      for (const pair of pairs) stop(pair);
    },
    mend: (how) => {
      isCut = false;
      if (how === 'broken') closeAll();
      else
        for (const [near, far] of pairs)
          for (const [from, to] of [
            [near, far],
            [far, near],
          ] as const)
            from.pipe(to);
    },
  };
}

function stop([near, far]: readonly [Socket, Socket]): void {
  for (const socket of [near, far]) {
    socket.unpipe();
    socket.pause();
  }
}
