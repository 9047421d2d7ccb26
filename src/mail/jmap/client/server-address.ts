import { MailFault } from '../../message/mail-fault.js';
import { ServerFault } from './server-fault.js';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Pure: returns why a text is no address of a server, whether the way there is safe or not; null where it is one. */
export function addressRule(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '')
    return 'must name no user: the credential belongs in its file';
  return null;
}

/**
 * Pure: returns the address of a mail server. A credential is sent there and nowhere else: without TLS only on this machine, or
 * where the credential itself allows it.
 * @throws {MailFault} `unsupported`
 */
export function serverAddress(
  text: string,
  allowPlainHttp: boolean,
  field: 'jmap_url' | 'management_url' = 'jmap_url',
): URL {
  const refuse = (rule: string): never => {
    throw new MailFault('unsupported', `${field}: ${rule}`);
  };
  const rule = addressRule(text);
  if (rule !== null) return refuse(rule);
  const url = new URL(text);
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !allowPlainHttp)
    return refuse(
      `${url.origin} is not on this machine, and without TLS anybody on the way could read the credential; use https, or say "allow_plain_http": true in the credential file`,
    );
  return url;
}

/** Pure: decides whether a new connection to an address costs almost nothing. */
export const isNextDoor = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopback.test(hostname);

/** Returns the name of a server for people: its address without the query, which may contain anything. */
export const shownAddress = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/**
 * Pure: expands an address that a server gave, and puts it on the origin of `base`. Servers behind a proxy name an origin of
 * their own, which may lead nowhere from here; and so no answer can send a credential elsewhere.
 * @throws {ServerFault} for a text that is no address.
 */
export function pinned(template: string, values: Readonly<Record<string, string>>, base: URL): URL {
  const expanded = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  if (!URL.canParse(expanded, base.href))
    throw new ServerFault('server_refused', `${shownAddress(base)} gave an address that is not valid`);
  const { pathname, search } = new URL(expanded, base);
  const url = new URL(base.origin);
  // The parts are set one by one: a path may begin with two slashes, which a parser would read as another host.
  url.pathname = pathname;
  url.search = search;
  return url;
}
