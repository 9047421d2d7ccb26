import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TlsIdentity } from '../tls-identity.js';

export interface Asked {
  method: string;
  path: string;
  authorization: string | undefined;
  connection: string | undefined;
  body: string;
}

/** A server of one test, which gives the answers of its script: for what no real one does on demand. */
export interface ScriptedServer {
  url: string;
  /** The requests to it, in order. */
  asked: Asked[];
  /** Answers calls of methods; a call that is not answered here gets an empty result. */
  api: (asked: Asked, answer: ServerResponse) => void;
  session: (asked: Asked, answer: ServerResponse) => void;
  upload: (asked: Asked, answer: ServerResponse) => void;
  download: (asked: Asked, answer: ServerResponse) => void;
  events: (asked: Asked, answer: ServerResponse) => void;
}

/** An answer to a call that is an error of its method. */
export class MethodError {
  readonly error: object;

  constructor(error: object) {
    this.error = error;
  }
}

/** Answers calls by their methods, each with what is given for it; what one takes from an earlier one is put in. */
export const byMethod =
  (results: Readonly<Record<string, (args: never) => unknown>>): ScriptedServer['api'] =>
  ({ body }, answer) => {
    const { methodCalls } = JSON.parse(body) as { methodCalls: [string, Record<string, unknown>, string][] };
    const earlier: Record<string, unknown> = {};
    const methodResponses = methodCalls.map(([name, args, id]) => {
      const result = results[name]?.(withReferences(args, earlier) as never);
      earlier[id] = result;
      return result instanceof MethodError ? ['error', result.error, id] : [name, result, id];
    });
    json(answer, 200, { methodResponses });
  };

function withReferences(args: Record<string, unknown>, earlier: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(args).map(([name, value]) => {
    if (!name.startsWith('#')) return [name, value];
    const { resultOf, path } = value as { resultOf: string; path: string };
    const from = earlier[resultOf] as Record<string, unknown> | undefined;
    return [name.slice(1), from?.[path.slice(1)]];
  });
  return Object.fromEntries(entries);
}

export const json = (answer: ServerResponse, status: number, value: unknown, headers: object = {}): void => {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers });
  answer.end(JSON.stringify(value));
};

export const sessionValue = {
  capabilities: { 'urn:ietf:params:jmap:core': {} },
  accounts: { a: {} },
  primaryAccounts: { 'urn:ietf:params:jmap:mail': 'a' },
  apiUrl: '/api',
  uploadUrl: '/upload/{accountId}',
  downloadUrl: '/download/{accountId}/{blobId}/{name}?accept={type}',
  eventSourceUrl: '/events',
};

/** @param tls what it shows to callers; left out, it speaks plain HTTP. */
export async function scriptedServer(tls: TlsIdentity | null = null): Promise<ScriptedServer> {
  const listener = (request: IncomingMessage, answer: ServerResponse): void => void respond(request, answer);
  const server = tls === null ? createServer(listener) : createTlsServer(tls, listener);
  const scripted: ScriptedServer = {
    url: '',
    asked: [],
    session: (_asked, answer) => json(answer, 200, sessionValue),
    upload: ({ body }, answer) => json(answer, 200, { blobId: 'B1', size: Buffer.byteLength(body) }),
    download: (_asked, answer) => void answer.writeHead(404).end(),
    events: (_asked, answer) => void answer.writeHead(204).end(),
    api: (_asked, answer) => json(answer, 200, { methodResponses: [['Core/echo', { ok: true }, 'echo']] }),
  };
  async function respond(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', url: path = '', headers } = request;
    const asked = {
      method,
      path,
      authorization: headers.authorization,
      connection: headers.connection,
      body: Buffer.concat(parts).toString(),
    };
    scripted.asked.push(asked);
    if (path === '/api') scripted.api(asked, answer);
    else if (path.startsWith('/events')) scripted.events(asked, answer);
    else if (path.startsWith('/download')) scripted.download(asked, answer);
    else if (path.startsWith('/upload')) scripted.upload(asked, answer);
    else scripted.session(asked, answer);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scripted.url = `${tls === null ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return scripted;
}
