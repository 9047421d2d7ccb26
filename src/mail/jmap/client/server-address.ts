import { MailFault } from '../../message/mail-fault.js';
import { ServerFault } from './server-fault.js';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Pure: why a text is no address of a server, whatever is on the way there; null where it is one. */
export function addressRule(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '')
    return 'must name no user: the credential belongs in its file';
  return null;
}

/**
 * Pure: where a mail server is asked. A credential goes there and nowhere else: without TLS only on this machine, or where the
 * credential itself allows it.
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

/** Pure: whether a new connection there costs next to nothing. */
export const isNextDoor = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopback.test(hostname);

/** How a server is named in what people read: without a query, which may hold anything. */
export const shownAddress = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/**
 * Pure: an address that a server gave, expanded and on the origin that was asked. Servers behind a proxy name an origin of
 * their own, which may not lead anywhere from here; and no answer can send a credential elsewhere.
 * @throws {ServerFault} for what is no address.
 */
export function pinned(template: string, values: Readonly<Record<string, string>>, base: URL): URL {
  const expanded = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  if (!URL.canParse(expanded, base.href))
    throw new ServerFault('server_refused', `${shownAddress(base)} gave an address that is not valid`);
  const { pathname, search } = new URL(expanded, base);
  const url = new URL(base.origin);
  // Not read again as a text: a path may begin with two slashes, which would be another host.
  url.pathname = pathname;
  url.search = search;
  return url;
}
