import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as it came over the wire. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Handler = (received: Received, res: ServerResponse) => void | Promise<void>;

export interface LocalServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** A real HTTP server that keeps what it got; the caller closes it. */
export async function listen(handle: Handler, host = '127.0.0.1', port = 0): Promise<LocalServer> {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const request = { method: req.method!, url: req.url!, headers: req.headers, body: await textOf(req) };
    received.push(request);
    await handle(request, res);
  });
  // So long that a client which waits for its idle connection to be closed is found out.
  server.keepAliveTimeout = 60_000;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, received, close };
}

/** The same for one test, which closes it when it ends. */
export async function serve(handle: Handler, host?: string): Promise<LocalServer> {
  const server = await listen(handle, host);
  onTestFinished(() => server.close());
  return server;
}

export function answerJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'http-0001', ...headers });
  res.end(JSON.stringify(body));
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
