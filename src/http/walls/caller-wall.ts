import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { sendEnvelope } from '../envelope.js';
import { ownerOf, type SocketTables } from './socket-owner.js';

/** Who is at the other end of a connection. */
export type Caller =
  /** Another machine, or this one by an address that is not loopback. */
  | { from: 'elsewhere' }
  /** A process of this machine; `uid` is null when nobody holds its end, or the platform does not tell (`told` false). */
  | { from: 'loopback'; uid: number | null; told: boolean };

export interface CallerPolicy {
  /** What a caller has to present who is not known by his connection. */
  token: string;
  /** Users of this machine who may call beside root. */
  users: ReadonlySet<number>;
}

export type Admission = { admitted: true } | { admitted: false; status: 401 | 403; detail: string };

const admitted: Admission = { admitted: true };

/** Whether a caller may drive this gateway. A token that is presented has to be right, whoever presents it. */
export function admission(
  caller: Caller,
  authorization: string | undefined,
  policy: CallerPolicy,
): Admission {
  if (authorization !== undefined) {
    return isToken(authorization, policy.token)
      ? admitted
      : { admitted: false, status: 401, detail: 'The token is not the one of this gateway.' };
  }
  if (caller.from === 'elsewhere') {
    return {
      admitted: false,
      status: 401,
      detail: 'Callers from other machines need the token of this gateway: Authorization: Bearer <token>.',
    };
  }
  if (!caller.told) return admitted;
  if (caller.uid !== null && (caller.uid === 0 || policy.users.has(caller.uid))) return admitted;
  return {
    admitted: false,
    status: 403,
    detail:
      caller.uid === null
        ? 'The connection belongs to no process any more, so nobody can tell whose it was.'
        : 'This gateway serves another user of this machine; --allowed-user admits you.',
  };
}

/** Compared by digest, in the same time wherever they differ. */
function isToken(authorization: string, token: string): boolean {
  const presented = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(presented), digest(token));
}

/** Knows the caller of every connection: looked up once, when the connection is made. */
export class CallerWall {
  readonly #policy: CallerPolicy;
  readonly #tables: SocketTables;
  readonly #callers = new WeakMap<Socket, Caller | Promise<Caller>>();

  constructor(policy: CallerPolicy, tables: SocketTables) {
    this.#policy = policy;
    this.#tables = tables;
  }

  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#identify(socket).catch(() => this.#callers.delete(socket));
    });
  }

  readonly handler: RequestHandler = (request, response, next) => {
    const decide = (caller: Caller): void => {
      const verdict = admission(caller, request.headers.authorization, this.#policy);
      if (verdict.admitted) {
        next();
        return;
      }
      const challenge = { 'WWW-Authenticate': 'Bearer realm="houmao-gateway"' };
      sendEnvelope(response, verdict.status, verdict.detail, verdict.status === 401 ? challenge : {});
    };
    const known = this.#callers.get(request.socket) ?? this.#identify(request.socket);
    if (known instanceof Promise) known.then(decide, next);
    else decide(known);
  };

  #identify(socket: Socket): Promise<Caller> {
    const identified = this.#lookUp(socket).then((caller) => {
      this.#callers.set(socket, caller);
      return caller;
    });
    this.#callers.set(socket, identified);
    return identified;
  }

  async #lookUp(socket: Socket): Promise<Caller> {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    // Gone before it could be looked at.
    if (!remoteAddress || !remotePort || !localAddress || !localPort)
      return { from: 'loopback', uid: null, told: true };
    if (!isLoopbackAddress(remoteAddress)) return { from: 'elsewhere' };
    const tables = await this.#tables.read();
    if (!tables) return { from: 'loopback', uid: null, told: false };
    const client = { address: remoteAddress, port: remotePort };
    return {
      from: 'loopback',
      uid: ownerOf(tables, client, { address: localAddress, port: localPort }),
      told: true,
    };
  }
}

/** Whether an address of a connection can only be this machine. */
export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127\./i.test(address);
