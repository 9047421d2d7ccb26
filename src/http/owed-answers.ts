import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  open: Map<ServerResponse, IncomingMessage>;
  whenNone: (() => void) | null;
}

/** Answers under way, by connection: a client may send many requests before it reads one. */
export class OwedAnswers {
  readonly #connections = new WeakMap<Socket, Connection>();

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket) ?? { open: new Map(), whenNone: null };
    this.#connections.set(socket, connection);
    connection.open.set(response, request);
    response.once('close', () => {
      connection.open.delete(response);
      if (!isOwed(connection)) connection.whenNone?.();
    });
  }

  /** Does something as soon as nothing is owed on a connection; at once where nothing is. */
  whenNone(socket: Socket, act: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection && isOwed(connection)) connection.whenNone = act;
    else act();
  }
}

/** A request that broke off will not be answered, unless it already is. */
const isOwed = ({ open }: Connection): boolean =>
  [...open].some(([response, request]) => request.complete || response.writableEnded);
