import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';

/** Largest request header, in bytes. */
const maxHeaderBytes = 16 * 1024;
/** A request has this long to arrive whole, in milliseconds. */
const arrivalMilliseconds = 30_000;
const headerMilliseconds = 10_000;

const transportAnswers: Readonly<Record<string, [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** A Node server with limits; what its parser refuses is answered in the envelope too. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    { maxHeaderSize: maxHeaderBytes, requestTimeout: arrivalMilliseconds, headersTimeout: headerMilliseconds, connectionsCheckingInterval: 1000 },
    app,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const [status, reason] = transportAnswers[error.code ?? ''] ?? [400, 'Bad Request'];
    const body = JSON.stringify({ detail: reason });
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  return server;
}

/** @throws the system's error, such as EADDRINUSE. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Takes no more connections, lets running answers finish for a while, then closes what is left. */
export async function drain(server: Server, milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
