import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type SurfaceWords, sendEnvelope } from '../answers/envelope.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/messages.js';
import { ownerOf, type SocketTables } from './socket-owner.js';

/** The caller at the other end of a connection. */
export type Caller =
  /** Another machine, or this one through an address that is not loopback. */
  | { from: 'elsewhere' }
  /**
   * A process of this machine. `uid` is null when no process holds its end, or when the platform does not report the user
   * (`userReported` is false).
   */
  | { from: 'loopback'; uid: number | null; userReported: boolean };

export interface CallerPolicy {
  /** The token for callers whose connection does not identify them. */
  token: string;
  /** The users of this machine, besides root, who may call. */
  users: ReadonlySet<number>;
}

export type Admission = { admitted: true } | { admitted: false; status: 401 | 403; detail: string };

const admitted: Admission = { admitted: true };

/** Decides whether a caller may use a surface. A token that is presented must be right, whichever caller presents it. */
export function admission(
  caller: Caller,
  authorization: string | undefined,
  policy: CallerPolicy,
  { noun, tokenFile, flags }: SurfaceWords,
): Admission {
  if (authorization !== undefined) {
    return isToken(authorization, policy.token)
      ? admitted
      : {
          admitted: false,
          status: 401,
          detail: `The token is wrong; the one of this ${noun} is in ${tokenFile}.`,
        };
  }
  if (caller.from === 'elsewhere') {
    return {
      admitted: false,
      status: 401,
      detail: `Callers from other machines need the token of this ${noun}, which is in ${tokenFile}: Authorization: Bearer <token>.`,
    };
  }
  if (!caller.userReported) return admitted;
  if (caller.uid !== null && (caller.uid === 0 || policy.users.has(caller.uid))) return admitted;
  return {
    admitted: false,
    status: 403,
    detail:
      caller.uid === null
        ? 'The process that opened the connection has ended, so its user is not known.'
        : `This ${noun} belongs to another user of this machine. Ask its owner to restart it with ${flags.user} ${caller.uid}.`,
  };
}

/**
 * Decides whether a call is one of the user who runs the program, or of root, from this machine. Where the platform does not tell users
 * apart, everyone on loopback is. A web page is not: it acts for others than the person before it.
 * @param uid of the user who runs the program.
 */
export const isOwner = (caller: Caller, origin: string | undefined, uid: number | null): boolean =>
  origin === undefined &&
  caller.from === 'loopback' &&
  (!caller.userReported || (caller.uid !== null && (caller.uid === 0 || caller.uid === uid)));

/** Compares digests, so that the time does not show where the texts differ. */
function isToken(authorization: string, token: string): boolean {
  const presented = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(presented), digest(token));
}

/** Knows the caller of every connection. It is looked up once, when the connection is made. */
export class CallerWall {
  readonly #policy: CallerPolicy;
  readonly #tables: SocketTables;
  readonly #words: SurfaceWords;
  readonly #callers = new WeakMap<Socket, Caller | Promise<Caller>>();

  constructor(policy: CallerPolicy, tables: SocketTables, words: SurfaceWords) {
    this.#policy = policy;
    this.#tables = tables;
    this.#words = words;
  }

  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#identify(socket).catch(() => this.#callers.delete(socket));
    });
  }

  /**
   * Calls `next` for an admitted caller, and answers others with the refusal. @param fail receives the error when the caller
   * cannot be determined.
   */
  admit(
    request: SurfaceRequest,
    response: SurfaceResponse,
    next: () => void,
    fail: (error: unknown, request: SurfaceRequest, response: SurfaceResponse) => void,
  ): void {
    const decide = (caller: Caller): void => {
      const verdict = admission(caller, request.headers.authorization, this.#policy, this.#words);
      if (verdict.admitted) {
        request.byOwner = isOwner(caller, request.headers.origin, process.getuid?.() ?? null);
        next();
        return;
      }
      const challenge = { 'WWW-Authenticate': `Bearer realm="${this.#words.program}"` };
      sendEnvelope(response, verdict.status, verdict.detail, verdict.status === 401 ? challenge : {});
    };
    const known = this.#callers.get(request.socket) ?? this.#identify(request.socket);
    if (known instanceof Promise) known.then(decide).catch((error) => fail(error, request, response));
    else decide(known);
  }

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
    // The connection ended before it could be looked up.
    if (!remoteAddress || !remotePort || !localAddress || !localPort)
      return { from: 'loopback', uid: null, userReported: true };
    if (!isLoopbackAddress(remoteAddress)) return { from: 'elsewhere' };
    const tables = await this.#tables.read();
    if (!tables) return { from: 'loopback', uid: null, userReported: false };
    const client = { address: remoteAddress, port: remotePort };
    return {
      from: 'loopback',
      uid: ownerOf(tables, client, { address: localAddress, port: localPort }),
      userReported: true,
    };
  }
}

/** Decides whether an address of a connection can only be this machine. */
export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127\./i.test(address);
