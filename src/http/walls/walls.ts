import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { errorCodeHeader } from '../../contract/refusals.js';
import { type SurfaceWords, sendEnvelope } from '../answers/envelope.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/server.js';
import { ownerOf, type SocketTables } from './socket-owner.js';

// The walls of a surface, in their order: framing, Host and Origin (frontWalls), then the caller (CallerWall). A wall answers what it
// refuses, and nothing behind it runs.

export interface Admitted {
  /** Host names, besides those of this machine, by which the surface may be called; in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Web origins, besides its own, whose pages may call. */
  readonly origins: ReadonlySet<string>;
}

/** The headers, besides those of every surface, that pages of admitted origins may send and read. */
interface PageHeaders {
  readonly sent: readonly string[];
  readonly read: readonly string[];
}

/**
 * @returns a function that decides whether a request may continue, by its framing, host and origin. It answers the others
 * itself.
 */
export function frontWalls(
  words: SurfaceWords,
  admitted: Admitted,
  pageHeaders: PageHeaders,
): (request: SurfaceRequest, response: SurfaceResponse) => boolean {
  const exposed = ['X-Request-Id', errorCodeHeader, ...pageHeaders.read].join(', ');
  const allowed = ['Authorization', 'Content-Type', ...pageHeaders.sent].join(', ');
  return (request, response) => {
    const { host, origin, 'transfer-encoding': encoding } = request.headers;
    const refuse = (status: number, detail: string, headers?: Readonly<Record<string, string>>): false => {
      sendEnvelope(response, status, detail, headers);
      return false;
    };
    // Node reads `gzip, chunked` as if it were only `chunked`; a proxy before us may see another body.
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
      return refuse(400, 'Transfer-Encoding is not read unless it is chunked alone.', {
        Connection: 'close',
      });
    if (request.httpVersion === '1.1' && countOf(request.rawHeaders, 'host') !== 1)
      return refuse(400, 'A request has exactly one Host header.', { Connection: 'close' });
    if (!isServedHost(host, admitted.hosts))
      return refuse(
        421,
        `Host ${printable(host)} is not served here; start the ${words.noun} with ${words.flags.host} to admit it.`,
      );
    if (origin === undefined) return true;
    if (!isAllowedOrigin(origin, host ?? '', admitted.origins))
      return refuse(
        403,
        `Origin ${printable(origin)} is not allowed; start the ${words.noun} with ${words.flags.origin} to admit it.`,
      );
    if (!admitted.origins.has(origin)) return true;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Vary', 'Origin');
    response.setHeader('Access-Control-Expose-Headers', exposed);
    if (request.method !== 'OPTIONS') return true;
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE');
    response.setHeader('Access-Control-Allow-Headers', allowed);
    response.setHeader('Access-Control-Max-Age', '600');
    response.status(204).end();
    return false;
  };
}

const printable = (text: string | undefined): string => (text ?? '(none)').slice(0, 200);

/** @param raw names and values in turn. @param name in lower case. */
function countOf(raw: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const one = raw[index] ?? '';
    if (one.length === name.length && one.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Returns the host of a `Host` header or URL authority, without port; null when it cannot be read. */
export function hostOf(authority: string): string | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\\@\s]+))(?::\d{1,5})?$/.exec(authority);
  const host = match?.[1] ?? match?.[2];
  return host === undefined ? null : host.toLowerCase().replace(/\.$/, '');
}

/** Decides whether a host can only be this machine. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Decides whether a request for this host is served. A page that made its own name point here is not (DNS rebinding). */
export function isServedHost(authority: string | undefined, allowed: ReadonlySet<string>): boolean {
  const host = authority === undefined ? null : hostOf(authority);
  return host !== null && (isLoopbackHost(host) || allowed.has(host));
}

/**
 * Decides whether a browser's page may call: its own pages (the docs) and the configured origins. A request without `Origin`
 * comes from no page.
 * @param authority the `Host` header, checked before.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  authority: string,
  allowed: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return true;
  return origin === `http://${authority.toLowerCase()}` || allowed.has(origin);
}

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

type Admission = { admitted: true } | { admitted: false; status: 401 | 403; detail: string };

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
