import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { newHttpRequestId } from '../foundation/ids.js';
import { OwedAnswers } from './owed-answers.js';

/** What a request may take, in bytes and milliseconds. */
export interface ServerLimits {
  headerBytes: number;
  /** From the first byte to the end of the header. */
  headerMilliseconds: number;
  /** From the first byte to the last. */
  arrivalMilliseconds: number;
  /** How often late requests are looked for. */
  checkMilliseconds: number;
}

const usualLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  headerMilliseconds: 10_000,
  arrivalMilliseconds: 30_000,
  checkMilliseconds: 1000,
};

const transportAnswers: Readonly<Record<string, [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** A Node server with limits; what Node would refuse in its own words is answered in the envelope too. */
export function createHttpServer(app: RequestListener, limits: ServerLimits = usualLimits): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      requestTimeout: limits.arrivalMilliseconds,
      headersTimeout: limits.headerMilliseconds,
      connectionsCheckingInterval: limits.checkMilliseconds,
      // Refused by the host wall, in the envelope.
      requireHostHeader: false,
    },
    app,
  );
  const owed = new OwedAnswers();
  server.on('request', (request, response) => owed.add(request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    // Requests that came before on this connection are answered first: a client takes what it reads for theirs.
    owed.whenNone(socket, () => {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
      const [status, reason] = transportAnswers[error.code ?? ''] ?? [400, 'Bad Request'];
      return refuse(socket, status, reason);
    }),
  );
  server.on('checkExpectation', (request: IncomingMessage) =>
    refuse(request.socket, 417, 'Expectation Failed'),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) => refuse(socket, 400, 'Bad Request'));
  return server;
}

/** Answers on the bare socket and closes it. */
function refuse(socket: Socket, status: number, reason: string): void {
  const body = JSON.stringify({ detail: reason });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    `X-Request-Id: ${newHttpRequestId()}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
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
