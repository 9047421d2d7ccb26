import { isIP } from 'node:net';

/** The host of a `Host` header or URL authority, without port; null when it cannot be read. */
export function hostOf(authority: string): string | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\\@\s]+))(?::\d{1,5})?$/.exec(authority);
  const host = match?.[1] ?? match?.[2];
  return host === undefined ? null : host.toLowerCase().replace(/\.$/, '');
}

/** Whether a host can only be this machine. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Whether a request for this host is served: a page that made its own name point here is not (DNS rebinding). */
export function isServedHost(authority: string | undefined, allowed: ReadonlySet<string>): boolean {
  const host = authority === undefined ? null : hostOf(authority);
  return host !== null && (isLoopbackHost(host) || allowed.has(host));
}
