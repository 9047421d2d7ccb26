import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}
interface Connection {
  /** The requests that came and whose answers have not left, oldest first. A client may send many before it reads one answer. */
  open: Exchange[];
  whenNoneOwed: (() => void) | null;
}

/** The reason with which a wait ends whose caller is still there. */
const stopping = 'stopping';

/** The answers that a server has under way, and their end when it stops. */
export class AnswersUnderWay {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #waits = new Map<ServerResponse, AbortController>();
  #count = 0;
  #stopping = false;
  /** Called with each response whose connection or answer has ended. */
  ended: ((response: ServerResponse) => void) | null = null;
  #whenNone: (() => void) | null = null;

  get stopping(): boolean {
    return this.#stopping;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket) ?? { open: [], whenNoneOwed: null };
    this.#connections.set(socket, connection);
    // An array: V8 links every table that a Map has outgrown to the next one, and a dead one in the old space would keep all
    // requests of a long connection alive.
    connection.open.push({ request, response });
    this.#count += 1;
    response.once('close', () => {
      const { open } = connection;
      open.splice(
        open.findIndex((one) => one.response === response),
        1,
      );
      this.#count -= 1;
      this.ended?.(response);
      const wait = this.#waits.get(response);
      this.#waits.delete(response);
      if (!response.writableFinished) wait?.abort();
      if (!isOwed(connection)) connection.whenNoneOwed?.();
      if (this.#count === 0) this.#whenNone?.();
    });
  }

  /** Calls `act` as soon as no answer is owed on a connection, which may be at once. */
  whenNoneOwed(socket: Socket, act: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection && isOwed(connection)) connection.whenNoneOwed = act;
    else act();
  }

  /** Lets no new wait begin, and closes each connection with its last answer. Waits that are under way continue. */
  stop(): void {
    this.#stopping = true;
  }

  /** Ends every wait that is under way. */
  endWaits(): void {
    for (const wait of this.#waits.values()) wait.abort(stopping);
    this.#waits.clear();
  }

  /**
   * Returns whether this is the answer after which its connection is closed. Closing with an earlier one would lose the later
   * answers.
   */
  isLastOf(response: ServerResponse): boolean {
    if (!this.#stopping) return false;
    const { socket } = response.req;
    return this.#connections.get(socket)?.open.at(-1)?.response === response;
  }

  /** @returns a signal that is aborted when the caller goes away before its answer, or when a stopping server ends the waits. */
  waitSignalOf(response: ServerResponse): AbortSignal {
    const known = this.#waits.get(response);
    if (known) return known.signal;
    const wait = new AbortController();
    if (this.#stopping) wait.abort(stopping);
    else if (response.destroyed) wait.abort();
    else this.#waits.set(response, wait);
    return wait.signal;
  }

  /** Resolves when no answer is under way. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#whenNone = resolve;
    });
  }
}

/** Returns whether a connection still expects an answer. A request that broke off gets none, unless it already has one. */
const isOwed = ({ open }: Connection): boolean =>
  open.some(({ request, response }) => request.complete || response.writableEnded);
