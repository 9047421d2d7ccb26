import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LocalProxy {
  readonly url: string;
  /** The requests that went through it, as `CONNECT host:port` or `GET http://host:port/path`. */
  readonly seen: readonly string[];
}

/** A real forward proxy: tunnels for CONNECT, and plain requests with an absolute address. */
export async function startProxy(): Promise<LocalProxy> {
  const seen: string[] = [];
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const onward = request(req.url!, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  server.on('connect', (req, socket) => {
    seen.push(`CONNECT ${req.url}`);
    const { hostname, port } = new URL(`http://${req.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) {
      end.on('error', () => {
        socket.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
