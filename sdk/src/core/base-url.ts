/** Addresses to call instead of those that mean "all addresses" of this machine, which cannot be called. */
const dialledInstead: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** Returns the address to call, without a slash at the end. Throws a TypeError that says why an address cannot be used. */
export function parseBaseUrl(baseUrl: string | URL): string {
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `baseUrl ${JSON.stringify(String(baseUrl))} is not an http address such as http://127.0.0.1:9000`,
    );
  }
  if (url.username || url.password) throw new TypeError('baseUrl must not contain a user name or password');
  if (url.search || url.hash) throw new TypeError(`baseUrl ${url.href} must not have a query or a fragment`);
  url.hostname = dialledInstead[url.hostname] ?? url.hostname;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
