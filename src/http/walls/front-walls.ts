import { isIP } from 'node:net';
import { errorCodeHeader } from '../../contract/refusals.js';
import { type SurfaceWords, sendEnvelope } from '../answers/envelope.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/messages.js';

export interface Admitted {
  /** Host names, besides those of this machine, by which the surface may be called; in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Web origins, besides its own, whose pages may call. */
  readonly origins: ReadonlySet<string>;
}

/** The headers, besides those of every surface, that pages of admitted origins may send and read. */
export interface PageHeaders {
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
