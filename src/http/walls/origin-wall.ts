/**
 * Whether a browser's page may call: its own pages (the docs) and the configured origins. A request without `Origin`
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
