import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import express, { type Express, type Request, type Response } from 'express';
import { errorCodeHeader, wallCodes } from '../../contract/refusals.js';
import type { BrokenRule } from '../../contract/validation-items.js';
import { newHttpRequestId } from '../../foundation/ids.js';
import { AnswersUnderWay } from './answers-under-way.js';

// The server of a surface: its requests and responses, its limits, and how it starts and stops.

/** The fields of a surface's requests besides express's. */
interface AskedParts {
  /** The text of the body as it was sent, while the contract may still refuse it; `body` gets the defaults of the contract. */
  bodyText?: string;
  /** Whether the user who runs the program, or root, calls from this machine, by a program that is no web page. */
  byOwner?: boolean;
}

/** A request as the walls and the dispatch of a surface see it. */
export type SurfaceRequest = Request & AskedParts;

/** The fields of a surface's responses besides express's. */
interface AnswerParts {
  /** The `X-Request-Id` of this call. */
  readonly requestId: string;
  /** The operation that the call reached; null before that, and for a call that reaches none. */
  operationId: string | null;
  /** The items of a request that broke a rule of its fields; set for the observer. */
  invalid: readonly BrokenRule[] | null;
  /** The class of an error that was thrown inside; set for the observer. */
  faultClass: string | null;
  /** Aborted when the caller goes away before the answer, or when the server stops. Made at the first access. */
  readonly waitSignal: AbortSignal;
  /** Whether the server accepts no new work any more. */
  readonly stopping: boolean;
  /** Whether a browser may keep the answer; `no-store` unless the page says otherwise. */
  cacheControl: string;
  /** Sends a whole JSON answer: head and body leave in one write. */
  sendJson(status: number, text: string, headers: Readonly<Record<string, unknown>>): void;
}
export type SurfaceResponse = Response & AnswerParts;

/** The classes of one server's requests and responses. */
interface Messages {
  readonly Request: typeof IncomingMessage;
  readonly Response: typeof ServerResponse;
  /** Makes an app use them as they are. A pair serves one app. */
  adoptBy(app: Express): void;
}

/**
 * Makes requests and responses that are created with express's prototypes. Otherwise express sets the prototype of every
 * request and response, and V8 then makes a hidden class for each one, which keeps the object alive until a full collection:
 * half of a request's processor time (nodejs/node#37457, expressjs/express#5998). Remove when the test
 * `server-messages` says that express leaves prototypes alone.
 *
 * Each server has its own pair of classes, since express finds the app of a request by its prototype.
 */
function surfaceMessages(underWay: AnswersUnderWay): Messages {
  class OwnRequest extends IncomingMessage {
    // Express and the validator write these fields; a field that exists from the beginning does not change the object's shape.
    originalUrl = '';
    body: unknown = undefined;
    bodyText = '';
    byOwner = false;
    params: unknown = undefined;
    openapi: unknown = undefined;
  }

  class OwnResponse extends ServerResponse implements Omit<AnswerParts, 'sendJson'> {
    readonly requestId = newHttpRequestId();
    operationId: string | null = null;
    locals: Record<string, unknown> = {};
    invalid: readonly BrokenRule[] | null = null;
    faultClass: string | null = null;
    cacheControl = 'no-store';

    get stopping(): boolean {
      return underWay.stopping;
    }

    get waitSignal(): AbortSignal {
      return underWay.waitSignalOf(this);
    }

    /** Every other answer passes here, whichever code sends it, so that none leaves without its id. */
    override writeHead(...given: unknown[]): this {
      this.setHeader('X-Request-Id', this.requestId);
      this.setHeader('X-Content-Type-Options', 'nosniff');
      this.setHeader('Cache-Control', this.cacheControl);
      if (underWay.isLastOf(this)) this.setHeader('Connection', 'close');
      return (super.writeHead as (...given: unknown[]) => this)(...given);
    }

    sendJson(status: number, text: string, headers: Readonly<Record<string, unknown>>): void {
      const head: (string | number)[] = [
        'X-Request-Id',
        this.requestId,
        'X-Content-Type-Options',
        'nosniff',
        'Cache-Control',
        'no-store',
        'Content-Type',
        'application/json; charset=utf-8',
        'Content-Length',
        Buffer.byteLength(text),
      ];
      for (const name in headers) if (headers[name] !== undefined) head.push(name, String(headers[name]));
      if (underWay.isLastOf(this)) head.push('Connection', 'close');
      super.writeHead(status, head as unknown as string[]);
      this.end(this.req.method === 'HEAD' ? '' : text);
    }
  }

  Object.setPrototypeOf(OwnRequest.prototype, express.request);
  Object.setPrototypeOf(OwnResponse.prototype, express.response);
  return {
    Request: OwnRequest,
    Response: OwnResponse as unknown as typeof ServerResponse,
    adoptBy(app) {
      const own = { configurable: true, enumerable: true, writable: true, value: app };
      Object.defineProperty(OwnRequest.prototype, 'app', own);
      Object.defineProperty(OwnResponse.prototype, 'app', own);
      app.request = OwnRequest.prototype as unknown as Express['request'];
      app.response = OwnResponse.prototype as unknown as Express['response'];
    },
  };
}

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
interface SurfaceServer {
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
