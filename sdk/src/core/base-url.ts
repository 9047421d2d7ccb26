/** A listening address that means "all addresses" cannot be dialled: the same machine is meant. */
const dialledInstead: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** The address to dial, without a slash at the end; a TypeError says what is wrong with one that cannot be used. */
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
