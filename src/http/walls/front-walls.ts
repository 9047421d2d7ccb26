import { errorCodeHeader } from '../../contract/error-code.js';
import { sendEnvelope } from '../answers/envelope.js';
import type { SurfaceWords } from '../answers/surface-words.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/messages.js';
import { isServedHost } from './host-wall.js';
import { isAllowedOrigin } from './origin-wall.js';

export interface Admitted {
  /** Names beside those of this machine that the surface may be called by, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Web origins beside its own whose pages may call. */
  readonly origins: ReadonlySet<string>;
}

/** The headers beside those of every surface that pages of admitted origins may send and read. */
export interface PageHeaders {
  readonly sent: readonly string[];
  readonly read: readonly string[];
}

/** @returns whether a request may go on: its framing, host and origin are good. What may not is answered here. */
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
    // Node reads `gzip, chunked` as if `chunked` alone were there; a proxy before us may see another body.
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

/** @param raw names and values by turns. @param name in lower case. */
function countOf(raw: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const one = raw[index] ?? '';
    if (one.length === name.length && one.toLowerCase() === name) count += 1;
  }
  return count;
}
