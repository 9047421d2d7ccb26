import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Express } from 'express';
import { errorCodeHeader, wallCodes } from '../../contract/refusals.js';
import { newHttpRequestId } from '../../foundation/ids.js';
import { AnswersUnderWay } from './answers-under-way.js';
import { type Messages, surfaceMessages } from './messages.js';

/** The limits of a request, in bytes and milliseconds. */
export interface ServerLimits {
  headerBytes: number;
  /** From the first byte to the end of the header. */
  headerMilliseconds: number;
  /** From the first byte to the last. */
  arrivalMilliseconds: number;
  /** The interval at which late requests are searched for. */
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

/** A server with the objects that belong to it alone. */
export interface SurfaceServer {
  readonly server: Server;
  readonly messages: Messages;
  readonly underWay: AnswersUnderWay;
}

/** Creates a Node server with limits. Requests that Node would refuse in its own words are answered in the envelope too. */
export function createSurfaceServer(
  listener: RequestListener,
  limits: ServerLimits = usualLimits,
): SurfaceServer {
  const underWay = new AnswersUnderWay();
  const messages = surfaceMessages(underWay);
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      requestTimeout: limits.arrivalMilliseconds,
      headersTimeout: limits.headerMilliseconds,
      connectionsCheckingInterval: limits.checkMilliseconds,
      // The host wall refuses such a request, in the envelope.
      requireHostHeader: false,
      IncomingMessage: messages.Request,
      ServerResponse: messages.Response,
    },
    (request, response) => {
      underWay.add(request, response);
      listener(request, response);
    },
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    // Earlier requests on this connection are answered first: a client would take this answer for theirs.
    underWay.whenNoneOwed(socket, () => {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
      const [status, reason] = transportAnswers[error.code ?? ''] ?? [400, 'Bad Request'];
      return refuse(socket, status, reason);
    }),
  );
  server.on('checkExpectation', (request: IncomingMessage) =>
    refuse(request.socket, 417, 'Expectation Failed'),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) => refuse(socket, 400, 'Bad Request'));
  return { server, messages, underWay };
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
    `${errorCodeHeader}: ${wallCodes[status]}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Listens and returns the port. @throws the system's error, such as EADDRINUSE. */
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

/** The time after the last answer in which a client may still send its next request. */
const graceMilliseconds = 100;

/**
 * Takes no more connections and lets every answer under way finish, each with the end of its connection. Connections on which
 * no answer is under way stay open until the end: a client may be sending its next request at this moment, and would learn
 * nothing from a closed connection.
 * @param work ends the waits of those answers. Callers that still wait when it is done are answered with what is known.
 * @param milliseconds the time after the work, after which connections whose answer is still missing are cut.
 * @throws the error that `work` throws, when the connections are closed.
 */
export async function stopServer(
  { server, underWay }: SurfaceServer,
  work: () => Promise<void>,
  milliseconds: number,
): Promise<void> {
  // Callers whose connection is made but not accepted yet may have sent their request.
  await setImmediate();
  await setImmediate();
  // This is not the `close` of http.Server, which closes idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  underWay.stop();
  const over = new AbortController();
  const quiet = async (): Promise<void> => {
    await underWay.none();
    await setTimeout(graceMilliseconds);
    await underWay.none();
  };
  try {
    await work();
    underWay.endWaits();
    const late = setTimeout(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([closed, quiet(), late]);
  } finally {
    over.abort();
    server.closeAllConnections();
    await closed;
    // The `close` of http.Server also ends the timer that searches for late requests.
    server.close();
  }
}

/**
 * A server that can be bound before its handler exists: early requests wait for the handler. A taken port is therefore noticed
 * before anything is written.
 */
export class HoldingServer {
  readonly bound: SurfaceServer;
  #app: Express | null = null;
  readonly #held: (() => void)[] = [];

  constructor() {
    this.bound = createSurfaceServer((request: IncomingMessage, response: ServerResponse) => {
      if (this.#app) this.#app(request, response);
      else this.#held.push(() => this.#app?.(request, response));
    });
  }

  /** Passes waiting and all later requests to the handler. */
  answerWith(app: Express): void {
    this.bound.messages.adoptBy(app);
    this.#app = app;
    for (const answer of this.#held.splice(0)) answer();
  }
}
